# What drover stands on (reasons: docs/architecture.md). `scripts/need build` installs all of it on Debian
# 12; what only tests and benchmarks use is looked for in test/ and bench/. Imported targets are system includes.

find_package(Threads REQUIRED)
# Boost.JSON is linked statically: calls within it then cost no jump table, and the simulator lives in it (+12%).
set(Boost_USE_STATIC_LIBS ON)
find_package(Boost 1.81 REQUIRED COMPONENTS json)
find_package(OpenSSL 3 REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)

# Linked statically: the flash Job's image is the vendor's, and need not have it.
find_library(ZLIB_STATIC NAMES libz.a REQUIRED)
find_path(ZLIB_INCLUDE zlib.h REQUIRED)
add_library(zlib UNKNOWN IMPORTED)
set_target_properties(zlib PROPERTIES IMPORTED_LOCATION ${ZLIB_STATIC} INTERFACE_INCLUDE_DIRECTORIES ${ZLIB_INCLUDE})

# Debian's RE2 ships no CMake package.
find_path(RE2_INCLUDE re2/re2.h REQUIRED)
find_library(RE2_LIBRARY re2 REQUIRED)
add_library(re2 UNKNOWN IMPORTED)
set_target_properties(re2 PROPERTIES IMPORTED_LOCATION ${RE2_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${RE2_INCLUDE})
