# Installs the build into a fresh prefix, then builds and runs the outside project against it,
# once through find_package and once through pkg-config.

function(step)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY COMMAND_ECHO STDOUT)
endfunction()

set(prefix ${WORK_DIR}/prefix)
file(REMOVE_RECURSE ${WORK_DIR})
step(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix})

# A user of the shared library needs none of the packages that the library was built with.
set(hidden)
if(SHARED)
  foreach(package IN ITEMS fmt TBB embree nlohmann_json)
    list(APPEND hidden -DCMAKE_DISABLE_FIND_PACKAGE_${package}=ON)
  endforeach()
endif()
step(
  ${CMAKE_COMMAND} -S ${SOURCE_DIR} -B ${WORK_DIR}/build -G ${GENERATOR}
  -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_C_COMPILER=${CC} -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH=${prefix} ${hidden})
step(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
step(${WORK_DIR}/build/outside)
step(${WORK_DIR}/build/outside_c)

find_program(PKG_CONFIG pkg-config)
if(PKG_CONFIG)
  set(static)
  if(NOT SHARED)
    set(static --static)
  endif()
  set(ENV{PKG_CONFIG_PATH} ${prefix}/${LIBDIR}/pkgconfig)
  execute_process(
    COMMAND ${PKG_CONFIG} --cflags --libs ${static} rtindex
    OUTPUT_VARIABLE flags COMMAND_ERROR_IS_FATAL ANY OUTPUT_STRIP_TRAILING_WHITESPACE)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  step(${CXX} -std=c++20 ${SOURCE_DIR}/main.cpp ${flags} -Wl,-rpath,${prefix}/${LIBDIR} -o
       ${WORK_DIR}/outside_pkg_config)
  step(${WORK_DIR}/outside_pkg_config)
  step(${CC} -std=c11 ${SOURCE_DIR}/main.c ${flags} -Wl,-rpath,${prefix}/${LIBDIR} -o
       ${WORK_DIR}/outside_c_pkg_config)
  step(${WORK_DIR}/outside_c_pkg_config)
endif()

if(EXISTS ${prefix}/bin/rtindex)
  step(${prefix}/bin/rtindex --version)
endif()
