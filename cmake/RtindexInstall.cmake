# Install rules, the CMake package and the pkg-config file. The components are Debian's packages:
# the library, what is needed to compile with it, and the command.

include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/rtindex)

install(
  TARGETS rtindex
  EXPORT rtindexTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
          COMPONENT library
          NAMELINK_COMPONENT development
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(
  DIRECTORY ${PROJECT_SOURCE_DIR}/include/rtindex ${PROJECT_BINARY_DIR}/include/rtindex
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT development
  FILES_MATCHING
  PATTERN "*.h"
  PATTERN "*.hpp")
if(TARGET rtindex_cli)
  install(TARGETS rtindex_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT command)
  install(
    FILES ${PROJECT_SOURCE_DIR}/cli/completions/rtindex.bash
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
    RENAME rtindex
    COMPONENT command)
  install(FILES ${PROJECT_SOURCE_DIR}/cli/completions/_rtindex
          DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT command)
endif()

# A static library leaves its dependencies to whoever links it; the package then finds them.
set(RTINDEX_PACKAGE_DEPENDENCIES "")
set(RTINDEX_PC_REQUIRES_PRIVATE "")
set(RTINDEX_PC_LIBS_PRIVATE "")
if(NOT BUILD_SHARED_LIBS)
  set(RTINDEX_PACKAGE_DEPENDENCIES "include(CMakeFindDependencyMacro)
find_dependency(Threads)
find_dependency(fmt 9 CONFIG)
")
  set(RTINDEX_PC_REQUIRES_PRIVATE "fmt")
  set(RTINDEX_PC_LIBS_PRIVATE "-pthread -lstdc++ -lm")
  if(RTINDEX_EXECUTOR STREQUAL "tbb")
    string(APPEND RTINDEX_PACKAGE_DEPENDENCIES
           "find_dependency(TBB 2021 CONFIG COMPONENTS tbb)\n")
    string(APPEND RTINDEX_PC_REQUIRES_PRIVATE " tbb")
  endif()
  if(RTINDEX_HAS_EMBREE)
    string(APPEND RTINDEX_PACKAGE_DEPENDENCIES
           "find_dependency(embree ${RTINDEX_EMBREE_MAJOR} CONFIG)\n")
    string(PREPEND RTINDEX_PC_LIBS_PRIVATE "-lembree${RTINDEX_EMBREE_MAJOR} ")
  endif()
  if(RTINDEX_HAS_CUDA)
    string(APPEND RTINDEX_PACKAGE_DEPENDENCIES "find_dependency(CUDAToolkit)\n")
    string(PREPEND RTINDEX_PC_LIBS_PRIVATE
           "-L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -ldl -lrt ")
  endif()
  set(RTINDEX_PC_CFLAGS "-DRTINDEX_STATIC")
endif()

configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/rtindexConfig.cmake.in
  ${PROJECT_BINARY_DIR}/rtindexConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/rtindexConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(
  EXPORT rtindexTargets
  NAMESPACE rtindex::
  DESTINATION ${package_dir}
  COMPONENT development)
install(
  FILES ${PROJECT_BINARY_DIR}/rtindexConfig.cmake ${PROJECT_BINARY_DIR}/rtindexConfigVersion.cmake
  DESTINATION ${package_dir}
  COMPONENT development)

cmake_path(IS_ABSOLUTE CMAKE_INSTALL_LIBDIR libdir_is_absolute)
cmake_path(IS_ABSOLUTE CMAKE_INSTALL_INCLUDEDIR includedir_is_absolute)
set(RTINDEX_PC_LIBDIR "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
set(RTINDEX_PC_INCLUDEDIR "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
if(libdir_is_absolute)
  set(RTINDEX_PC_LIBDIR "${CMAKE_INSTALL_LIBDIR}")
endif()
if(includedir_is_absolute)
  set(RTINDEX_PC_INCLUDEDIR "${CMAKE_INSTALL_INCLUDEDIR}")
endif()
# Relative to the file itself, so that an installed tree may be moved.
file(RELATIVE_PATH RTINDEX_PC_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" RTINDEX_PC_PREFIX "\${pcfiledir}/${RTINDEX_PC_PREFIX}")
if(libdir_is_absolute)
  set(RTINDEX_PC_PREFIX "${CMAKE_INSTALL_PREFIX}")
endif()
configure_file(${PROJECT_SOURCE_DIR}/cmake/rtindex.pc.in ${PROJECT_BINARY_DIR}/rtindex.pc @ONLY)
install(
  FILES ${PROJECT_BINARY_DIR}/rtindex.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
  COMPONENT development)

if(RTINDEX_PACKAGE)
  include(RtindexDebian)
endif()
