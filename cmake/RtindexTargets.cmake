# How every target of this project is compiled, and the functions that declare targets.

configure_file(${PROJECT_SOURCE_DIR}/cmake/version.hpp.in
               ${PROJECT_BINARY_DIR}/include/rtindex/version.hpp @ONLY)

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)

# Language, warnings and sanitizers: for our own targets only, never for whoever links us.
add_library(rtindex_build_flags INTERFACE)
target_compile_features(rtindex_build_flags INTERFACE cxx_std_20)
set(shadow -Wshadow)
if(CMAKE_UNITY_BUILD)
  # Constants of one file do not concern the functions of another that shares its unit.
  set(shadow $<$<CXX_COMPILER_ID:GNU>:-Wshadow=local>)
endif()
set(warnings
    -Wall
    -Wextra
    -Wpedantic
    ${shadow}
    -Wnon-virtual-dtor
    -Woverloaded-virtual
    -Wcast-align
    -Wcast-qual
    -Wundef
    -Wvla
    # Designated initializers name what matters and leave the rest to its default.
    -Wno-missing-field-initializers
    # false alarms of g++ 12 in its own std::string
    $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
if(RTINDEX_WERROR)
  list(APPEND warnings -Werror)
endif()
# Every tracer must see the same coordinates: no fused multiply-add behind our back.
target_compile_options(
  rtindex_build_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>
                                "$<$<COMPILE_LANGUAGE:CXX>:${warnings}>")
if(RTINDEX_HAS_CUDA)
  target_compile_options(rtindex_build_flags
                         INTERFACE "$<$<COMPILE_LANGUAGE:CUDA>:${RTINDEX_CUDA_FLAGS}>")
endif()

# A bug in the handling of an untrusted file shall end the process rather than run its code.
# Distributions do the same; tests/house/hardening.py looks for it in the built library.
if(RTINDEX_HARDENING AND RTINDEX_SANITIZE STREQUAL "none" AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  target_compile_options(
    rtindex_build_flags
    INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2;-fstack-protector-strong>")
  target_link_options(rtindex_build_flags INTERFACE -Wl,-z,relro,-z,now)
endif()

if(RTINDEX_SANITIZE STREQUAL "address")
  set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=all)
elseif(RTINDEX_SANITIZE STREQUAL "thread")
  set(sanitizers -fsanitize=thread)
endif()
if(RTINDEX_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang"
     OR NOT RTINDEX_SANITIZE STREQUAL "address"
     OR NOT RTINDEX_TESTS)
    message(FATAL_ERROR "RTINDEX_FUZZ needs clang, RTINDEX_SANITIZE=address and RTINDEX_TESTS: "
                        "use the preset asan, or scripts/fuzz.sh.")
  endif()
  # Counts the branches taken; and defines what g++ defines by itself.
  list(APPEND sanitizers -fsanitize=fuzzer-no-link -D__SANITIZE_ADDRESS__=1)
endif()
if(sanitizers)
  target_compile_options(
    rtindex_build_flags
    INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${sanitizers};-fno-omit-frame-pointer>")
  if(RTINDEX_FUZZ)
    # The sanitizer checks products of 128 bits with a function that libgcc does not have.
    target_link_options(rtindex_build_flags INTERFACE -rtlib=compiler-rt -unwindlib=libgcc)
  endif()
  target_link_options(rtindex_build_flags INTERFACE ${sanitizers})
endif()

# Settings that a target of ours takes on, whatever its type.
function(rtindex_setup_target target)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:rtindex_build_flags>)
  set_target_properties(
    ${target}
    PROPERTIES CXX_EXTENSIONS OFF
               CXX_VISIBILITY_PRESET hidden
               VISIBILITY_INLINES_HIDDEN ON
               POSITION_INDEPENDENT_CODE ON)
endfunction()

# rtindex_kernel_units(result name kernels...): the files to compile for these kernels. With
# RTINDEX_QUICK they are units of eight, which CMake's unity builds cannot make. Optimised, a unit
# of many kernels takes as long as all of them, on one core; of kernels that are only checked, most of
# the time goes into the headers that they share.
function(rtindex_kernel_units result name)
  set(kernels ${ARGN})
  if(kernels AND RTINDEX_QUICK)
    list(TRANSFORM kernels REPLACE "(.+)" "#include \"\\1\"")
    list(LENGTH kernels count)
    math(EXPR last "${count} - 1")
    set(units "")
    foreach(first RANGE 0 ${last} 8)
      list(SUBLIST kernels ${first} 8 includes)
      list(JOIN includes "\n" includes)
      set(unit ${CMAKE_CURRENT_BINARY_DIR}/${name}_kernels_${first}.cu)
      file(CONFIGURE OUTPUT ${unit} CONTENT "${includes}\n")
      list(APPEND units ${unit})
    endforeach()
    set(kernels ${units})
  endif()
  if(kernels)
    set_source_files_properties(${kernels} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
  set(${result} ${kernels} PARENT_SCOPE)
endfunction()

# rtindex_add_folder(name [FOLDERS sub...]): the objects of src/<name>/*.cpp and of the named
# folders below it. A folder without sources (headers only) makes no target.
function(rtindex_add_folder name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "FOLDERS")
  set(folders ${CMAKE_CURRENT_SOURCE_DIR}/${name})
  foreach(sub IN LISTS arg_FOLDERS)
    list(APPEND folders ${CMAKE_CURRENT_SOURCE_DIR}/${name}/${sub})
  endforeach()
  if(RTINDEX_HAS_CUDA)
    list(APPEND folders ${CMAKE_CURRENT_SOURCE_DIR}/${name}/cuda)
  endif()
  set(patterns "")
  foreach(folder IN LISTS folders)
    list(APPEND patterns ${folder}/*.cpp)
    if(RTINDEX_HAS_CUDA)
      list(APPEND patterns ${folder}/*.cu)
    endif()
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS ${patterns})
  if(NOT RTINDEX_HAS_CUDA)
    list(FILTER sources EXCLUDE REGEX "_cuda\\.cpp$")
  endif()
  if(NOT sources)
    return()
  endif()
  set(all_kernels ${sources})
  list(FILTER all_kernels INCLUDE REGEX "\\.cu$")
  list(FILTER sources EXCLUDE REGEX "\\.cu$")
  rtindex_kernel_units(kernels ${name} ${all_kernels})
  list(APPEND sources ${kernels})
  set(target rtindex_${name})
  add_library(${target} OBJECT ${sources})
  rtindex_setup_target(${target})
  target_link_libraries(${target} PRIVATE rtindex_parts)
  target_compile_definitions(${target} PRIVATE RTINDEX_BUILDING)
  set_property(GLOBAL APPEND PROPERTY RTINDEX_OBJECTS $<TARGET_OBJECTS:${target}>)
endfunction()

# rtindex_add_executable(target sources...): a program that may reach the library's internals.
function(rtindex_add_executable target)
  add_executable(${target} ${ARGN})
  rtindex_setup_target(${target})
  target_link_libraries(${target} PRIVATE rtindex_internal)
  if(sanitizers)
    target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/sanitizer_defaults.cpp)
  endif()
endfunction()

if(RTINDEX_SANITIZE STREQUAL "address")
  include(RtindexLeakCheck)
endif()
