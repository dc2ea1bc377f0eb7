# Everything is found on the machine; nothing is downloaded.
# Sets RTINDEX_HAS_EMBREE, RTINDEX_EMBREE_VERSION, RTINDEX_EMBREE_MAJOR and RTINDEX_HAS_CUDA.

find_package(Threads REQUIRED)
find_package(fmt 9 CONFIG REQUIRED)
find_package(nlohmann_json 3.11 CONFIG REQUIRED)

# The experiments sort with oneTBB, whatever runs the library's loops.
if(RTINDEX_EXECUTOR STREQUAL "tbb" OR RTINDEX_EXPERIMENTS OR RTINDEX_BENCH)
  find_package(TBB 2021 CONFIG REQUIRED COMPONENTS tbb)
endif()

set(RTINDEX_HAS_EMBREE OFF)
set(RTINDEX_EMBREE_NOTE "switched off")
if(NOT RTINDEX_EMBREE STREQUAL "OFF")
  find_package(embree 4 CONFIG QUIET)
  if(NOT embree_FOUND)
    find_package(embree 3.13 CONFIG QUIET)
  endif()
  if(embree_FOUND)
    set(RTINDEX_HAS_EMBREE ON)
    set(RTINDEX_EMBREE_MAJOR ${EMBREE_VERSION_MAJOR})
    set(RTINDEX_EMBREE_VERSION ${EMBREE_VERSION})
    set(RTINDEX_EMBREE_NOTE "${EMBREE_VERSION}")
  elseif(RTINDEX_EMBREE STREQUAL "ON")
    message(FATAL_ERROR "RTINDEX_EMBREE=ON, but neither Embree 4 nor Embree 3.13 was found. "
                        "Install libembree-dev, or point embree_DIR at its CMake files.")
  else()
    set(RTINDEX_EMBREE_NOTE "not found")
  endif()
endif()

include(RtindexCuda)

if(RTINDEX_CLI OR RTINDEX_BENCH)
  find_package(CLI11 2.1 CONFIG REQUIRED)
endif()
if(RTINDEX_BENCH)
  find_package(absl CONFIG REQUIRED)
endif()
if(RTINDEX_TESTS)
  find_package(GTest CONFIG REQUIRED)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
endif()
