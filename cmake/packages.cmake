# What drover stands on (reasons: docs/decisions/001-dependencies.md). `scripts/need build` installs all of it on Debian
# 12; what only tests and benchmarks use is looked for in test/ and bench/. Imported targets are system includes.

find_package(Threads REQUIRED)
find_package(Boost 1.81 REQUIRED COMPONENTS json)
find_package(OpenSSL 3 REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)

find_package(PkgConfig REQUIRED)
pkg_check_modules(re2 REQUIRED IMPORTED_TARGET re2)
