# Flags, launchers and libraries that every folder shares.

find_program(CCACHE ccache)
if(CCACHE)
  # Without this it leaves alone all that uses precompiled headers (its manual, "Precompiled headers").
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
endif()

# For C++ alone: nvcc knows none of these.
set(cxx_options -Wall -Wextra -Wno-sign-compare -Wno-psabi -Wno-missing-field-initializers)
# The same bits on every machine: the compiler may not fuse or reorder what the source does not.
list(APPEND cxx_options -ffp-contract=off -fno-fast-math)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # It collects garbage in its own memory less often, which saves up to a tenth of its time.
  list(APPEND cxx_options "SHELL:--param ggc-min-heapsize=500000")
endif()
add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:${cxx_options}>")

# Every object may become part of libumf.so, so that nothing is compiled twice. What the library does not export is hidden,
# and calls and data inside it are then as direct as in a program.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_COMPILE_OPTIONS_PIE -fPIC)  # of programs, too: they share precompiled headers with libraries
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

if(UMF_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  # AddressSanitizer sees these too, and they cost a fifth of the compile time.
  add_compile_options(-fno-sanitize=null,vptr,object-size)
  add_link_options(-fsanitize=address,undefined)
endif()
if(UMF_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(simdjson REQUIRED)
find_package(ZLIB REQUIRED)
find_package(GTest REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(HWY REQUIRED IMPORTED_TARGET libhwy)
pkg_check_modules(PCRE2 REQUIRED IMPORTED_TARGET libpcre2-8)
pkg_check_modules(UTF8PROC REQUIRED IMPORTED_TARGET libutf8proc)
pkg_check_modules(HTTPLIB REQUIRED IMPORTED_TARGET cpp-httplib)
pkg_check_modules(SECCOMP REQUIRED IMPORTED_TARGET libseccomp)
include(GoogleTest)
# For tests. Debian's Python: it may have PyTorch.
find_program(UMF_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
