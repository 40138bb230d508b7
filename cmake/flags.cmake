# Compiler and linker flags: one language level, warnings that stop the build, hardening, sanitizers.

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()
# -g1 keeps line numbers for stack traces at a tenth of the size of full debug info.
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1 -DNDEBUG")

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
include(CheckPIESupported)
check_pie_supported()

# ccache is looked for once: one that is installed later would change every command, and all would be compiled again.
# Paths relative to the repository and no build folder in the key: a fresh clone finds what an older one compiled. Depend
# mode takes the headers from the compiler's list of them instead of preprocessing first.
if(NOT DEFINED CACHE{DROVER_CCACHE})
  find_program(DROVER_CCACHE ccache)
endif()
if(DROVER_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
                                  CCACHE_DEPEND=1 ${DROVER_CCACHE})
endif()

set(clang OFF)
set(gcc OFF)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  set(clang ON)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(gcc ON)
endif()

add_compile_options(-Wall -Wextra -Wpedantic -Werror)
if(gcc AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # g++ 12 claims overlapping copies inside std::string's operator+ (GCC bug 105651, fixed in 13).
  add_compile_options(-Wno-restrict)
endif()
# Paths in messages and debug info start at the repository, wherever it was cloned.
add_compile_options(-ffile-prefix-map=${CMAKE_SOURCE_DIR}/=)

# Hardening. _FORTIFY_SOURCE needs an optimiser, and the sanitizers intercept the same functions.
add_compile_options(-fstack-protector-strong -fstack-clash-protection)
add_link_options(-Wl,-z,relro,-z,now -Wl,--as-needed)
add_compile_definitions(_GLIBCXX_ASSERTIONS)
if(NOT DROVER_SANITIZE)
  add_compile_options($<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE> $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=3>)
endif()

# Asio and Beast are compiled once (src/kube/asio_impl.cc). The definitions hold for every file, because a program in
# which two files disagree about them is broken without a message. Coroutines are off: g++ 12 miscompiles them.
add_compile_definitions(BOOST_ASIO_NO_DEPRECATED BOOST_ASIO_DISABLE_CO_AWAIT BOOST_ASIO_SEPARATE_COMPILATION
                        BOOST_BEAST_SEPARATE_COMPILATION)

set(sanitizers "")
if(DROVER_SANITIZE STREQUAL "address")
  set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=all)
elseif(DROVER_SANITIZE STREQUAL "thread")
  set(sanitizers -fsanitize=thread)
elseif(DROVER_SANITIZE)
  message(FATAL_ERROR "DROVER_SANITIZE is '${DROVER_SANITIZE}': it must be address, thread or empty")
endif()
if(DROVER_FUZZ)
  if(NOT clang OR NOT DROVER_SANITIZE STREQUAL "address")
    message(FATAL_ERROR "DROVER_FUZZ needs -DCMAKE_CXX_COMPILER=clang++-19 (libFuzzer is part of clang) and "
                        "-DDROVER_SANITIZE=address (a finding is a sanitizer's finding)")
  endif()
  list(APPEND sanitizers -fsanitize=fuzzer-no-link)
endif()
if(sanitizers)
  # -O1, after the -O2 of the build type: stack traces keep more frames, and these builds take half the time.
  add_compile_options(${sanitizers} -fno-omit-frame-pointer -O1)
  add_link_options(${sanitizers})
endif()

if(clang)
  find_program(DROVER_LLD NAMES ld.lld-19)
  if(DROVER_LLD)
    add_link_options(-fuse-ld=${DROVER_LLD})
  endif()
endif()
