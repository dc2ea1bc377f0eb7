# Looks for nvcc. Sets RTINDEX_HAS_CUDA, RTINDEX_CUDA_VERSION, RTINDEX_CUDA_NOTE and
# RTINDEX_CUDA_FLAGS.
#
# Architectures: what CMAKE_CUDA_ARCHITECTURES says; else those of the GPUs of this machine, unless a
# package for any machine is built; else Turing to Blackwell, with PTX for later ones.
#
# `pip install .` is for this machine: without a GPU it builds for CPUs, because kernels for every
# architecture take twenty minutes.

set(RTINDEX_HAS_CUDA OFF)
set(RTINDEX_CUDA_NOTE "switched off")
if(RTINDEX_CUDA STREQUAL "OFF")
  return()
endif()

include(CheckLanguage)
if(NOT CMAKE_CUDA_COMPILER)
  find_program(CMAKE_CUDA_COMPILER nvcc HINTS ENV CUDA_PATH ENV CUDA_HOME
               PATHS /usr/local/cuda PATH_SUFFIXES bin)
endif()
if(NOT CMAKE_CUDA_COMPILER)
  if(RTINDEX_CUDA STREQUAL "ON")
    message(FATAL_ERROR "RTINDEX_CUDA=ON, but no CUDA compiler was found. "
                        "Put nvcc on the PATH, or set CMAKE_CUDA_COMPILER.")
  endif()
  unset(CMAKE_CUDA_COMPILER CACHE)
  set(RTINDEX_CUDA_NOTE "no compiler found")
  return()
endif()

set(for_this_machine OFF)
if(for_pip AND RTINDEX_CUDA STREQUAL "AUTO" AND NOT RTINDEX_PREBUILT)
  set(for_this_machine ON)
endif()

# CMake's "native" fails without a GPU, so nvidia-smi is asked.
if(NOT CMAKE_CUDA_ARCHITECTURES)
  set(found "")
  set(status "not asked")
  if(for_this_machine OR NOT RTINDEX_PACKAGE)
    execute_process(
      COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
      OUTPUT_VARIABLE capabilities
      ERROR_QUIET
      RESULT_VARIABLE status)
  endif()
  if(status EQUAL 0)
    string(REGEX MATCHALL "[0-9]+\\.[0-9]+" capabilities "${capabilities}")
    foreach(capability IN LISTS capabilities)
      string(REPLACE "." "" capability ${capability})
      list(APPEND found ${capability}-real)
    endforeach()
    list(REMOVE_DUPLICATES found)
  endif()
  if(NOT found AND for_this_machine)
    unset(CMAKE_CUDA_COMPILER CACHE)
    string(CONCAT RTINDEX_CUDA_NOTE
                  "not built, because this machine has no GPU; RTINDEX_CUDA=ON builds it "
                  "(pip install . -C cmake.define.RTINDEX_CUDA=ON)")
    return()
  endif()
  if(NOT found)
    set(found 75-real 80-real 86-real 89-real 90-real 100-real 120)
  endif()
  set(CMAKE_CUDA_ARCHITECTURES ${found} CACHE STRING "GPU architectures to build for")
endif()

set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
enable_language(CUDA)
find_package(CUDAToolkit 13.0 REQUIRED)

# CMake 3.25 does not know CUDA's C++20; nvcc does.
set(RTINDEX_CUDA_FLAGS
    -std=c++20
    --expt-relaxed-constexpr
    -fmad=false
    # lambdas of visit_native() name their type in no parameter; defaulted functions run on both sides
    -diag-suppress=445,20012
    -Xcompiler=-Wall,-Wextra,-ffp-contract=off,-fvisibility=hidden)
if(RTINDEX_PACKAGE)
  list(APPEND RTINDEX_CUDA_FLAGS --compress-mode=size)
endif()
if(RTINDEX_WERROR)
  list(APPEND RTINDEX_CUDA_FLAGS -Werror=all-warnings)
endif()
set(RTINDEX_HAS_CUDA ON)
set(RTINDEX_CUDA_VERSION ${CUDAToolkit_VERSION_MAJOR}.${CUDAToolkit_VERSION_MINOR})
list(JOIN CMAKE_CUDA_ARCHITECTURES " " architectures)
set(RTINDEX_CUDA_NOTE "${CMAKE_CUDA_COMPILER_VERSION} for ${architectures}")
