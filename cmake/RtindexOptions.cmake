# What a user may choose, and the defaults.

include(GNUInstallDirs)

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, RelWithDebInfo or Debug" FORCE)
endif()

# pip asks for the Python package and for nothing else.
set(for_pip OFF)
set(for_people ${PROJECT_IS_TOP_LEVEL})
if(SKBUILD)
  set(for_pip ON)
  set(for_people OFF)
  set(CMAKE_UNITY_BUILD ON CACHE BOOL "Few translation units compile faster")
  set(CMAKE_UNITY_BUILD_BATCH_SIZE 16 CACHE STRING "Files in a translation unit")
endif()

option(BUILD_SHARED_LIBS "Build librtindex as a shared library" ON)

option(RTINDEX_CLI "Build the rtindex command" ${PROJECT_IS_TOP_LEVEL})
option(RTINDEX_EXPERIMENTS "Build the experiments that `rtindex bench` runs" ${RTINDEX_CLI})
option(RTINDEX_TESTS "Build the tests" ${for_people})
option(RTINDEX_BENCH "Build the benchmarks; includes the experiments" OFF)
option(RTINDEX_FUZZ "Build the fuzzers; needs clang with libFuzzer" OFF)
option(RTINDEX_INSTALL "Create install rules" ${for_people})
option(RTINDEX_PYTHON "Build the Python package's module; needs nanobind" ${for_pip})
option(RTINDEX_DUCKDB "Build the DuckDB extension; needs DuckDB's headers" OFF)
set(RTINDEX_DUCKDB_DIR "" CACHE PATH "A folder with duckdb.h and duckdb_extension.h")
set(RTINDEX_PREBUILT "" CACHE PATH "Another build of this tree whose libraries the bindings link")
option(RTINDEX_PACKAGE "For packages: nothing depends on the machine that builds" ${for_pip})
option(RTINDEX_HARDENING "Fortify, stack protector, read-only relocations in optimised builds" ON)
option(RTINDEX_QUICK "Compile benchmarks and kernels fast, to see that they compile: not for measuring" OFF)
option(RTINDEX_WERROR "Treat compiler warnings as errors" OFF)

# A choice with a fixed set of values; anything else stops the configuration.
function(rtindex_choice name default help)
  set(${name} ${default} CACHE STRING "${help}: ${ARGN}")
  set_property(CACHE ${name} PROPERTY STRINGS ${ARGN})
  if(NOT "${${name}}" IN_LIST ARGN)
    list(JOIN ARGN ", " choices)
    message(FATAL_ERROR "${name} is '${${name}}'; choose one of ${choices}.")
  endif()
endfunction()

rtindex_choice(RTINDEX_EMBREE AUTO "The Embree tracer" AUTO ON OFF)
rtindex_choice(RTINDEX_CUDA AUTO "Indexes on NVIDIA GPUs" AUTO ON OFF)
rtindex_choice(RTINDEX_EXECUTOR tbb "What runs parallel loops" tbb std)
rtindex_choice(RTINDEX_SANITIZE none "Sanitizers for the whole build" none address thread)

set(RTINDEX_OPTIX_INCLUDE_DIR "" CACHE PATH
    "NVIDIA's headers of OptiX 8.0, for the test that compares our declarations with them")
set(RTINDEX_WARPCORE_DIR "" CACHE PATH
    "Sources of WarpCore and of the helpers that it includes, for bench_gpu to race it")
set(RTINDEX_MVGPUBTREE_DIR "" CACHE PATH "Sources of MVGpuBTree, for bench_gpu to race it")
set(RTINDEX_ALEX_DIR "" CACHE PATH "Sources of ALEX, for bench_cpu_peers to race it")
set(RTINDEX_PGM_DIR "" CACHE PATH "Sources of PGM-index, for bench_cpu_peers to race it")
set(RTINDEX_RADIXSPLINE_DIR "" CACHE PATH "Sources of RadixSpline, for bench_cpu_peers to race it")
set(RTINDEX_TEST_TIMEOUT 600 CACHE STRING "Seconds after which ctest stops a test program")

set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
