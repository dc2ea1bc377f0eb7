# What a user may choose, and the defaults.

include(GNUInstallDirs)

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, RelWithDebInfo or Debug" FORCE)
endif()

option(BUILD_SHARED_LIBS "Build librtindex as a shared library" ON)

option(RTINDEX_CLI "Build the rtindex command" ${PROJECT_IS_TOP_LEVEL})
option(RTINDEX_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(RTINDEX_BENCH "Build the benchmarks" OFF)
option(RTINDEX_INSTALL "Create install rules" ${PROJECT_IS_TOP_LEVEL})
option(RTINDEX_SANITIZE_ALL "Run the longest tests under the address sanitizer too" OFF)
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

set(RTINDEX_TEST_TIMEOUT 120 CACHE STRING "Seconds after which a single test is stopped")

set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
