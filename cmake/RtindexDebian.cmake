# Debian packages by CPack, one per component; scripts/deb.sh makes them.

set(RTINDEX_MAINTAINER "The rtindex developers <rtindex@example.org>" CACHE STRING
    "Whom users of the packages write to")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT ${RTINDEX_MAINTAINER})
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL library development command)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SOURCE rtindex)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# Directories as Debian wants them, whatever the umask.
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS ${CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS})

# rtindex_debian_package(component name section description)
macro(rtindex_debian_package component name section description)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${what}\n${description}")
  install(FILES ${debian_files}/copyright ${debian_files}/changelog.gz
          DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/${name} COMPONENT ${component})
endmacro()

set(debian_files ${PROJECT_BINARY_DIR}/debian)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${debian_files}/changelog
     "rtindex (${PROJECT_VERSION}) unstable; urgency=medium\n\n"
     "  * See CHANGELOG.md of the sources.\n\n -- ${RTINDEX_MAINTAINER}  ${date}\n")
find_program(GZIP_PROGRAM gzip REQUIRED)
execute_process(COMMAND ${GZIP_PROGRAM} -9nf ${debian_files}/changelog COMMAND_ERROR_IS_FATAL ANY)
file(WRITE ${debian_files}/copyright
     "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n"
     "Upstream-Name: rtindex\n\nFiles: *\nCopyright: 2026 The rtindex developers\n"
     "License: Apache-2.0\n On Debian systems the text of the Apache License 2.0 is in\n"
     " /usr/share/common-licenses/Apache-2.0.\n")

set(what "rtindex indexes a column of integers, floats, strings or composite keys and\n\
answers batches of point and range lookups, neighbours and joins.")
set(soname ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
rtindex_debian_package(library librtindex${soname} libs
                       "This package has the shared library, for programs in C and C++.")
rtindex_debian_package(
  development librtindex-dev libdevel
  "This package has what is needed to compile with the library: headers for C\n\
and C++, CMake and pkg-config files.")
rtindex_debian_package(
  command rtindex database
  "This package has the command rtindex, which also repeats the experiments of\n\
the paper RTIndeX.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "librtindex${soname} (= ${PROJECT_VERSION})")

# Which package has the library, and that its cache is renewed.
file(WRITE ${debian_files}/shlibs "librtindex ${soname} librtindex${soname}\n")
file(WRITE ${debian_files}/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${debian_files}/shlibs ${debian_files}/triggers)

find_program(HELP2MAN help2man)
if(HELP2MAN AND TARGET rtindex_cli)
  add_custom_command(
    OUTPUT ${debian_files}/rtindex.1.gz
    COMMAND ${HELP2MAN} --no-info --name "${PROJECT_DESCRIPTION}" --output ${debian_files}/rtindex.1
            $<TARGET_FILE:rtindex_cli>
    COMMAND ${GZIP_PROGRAM} -9nf ${debian_files}/rtindex.1
    DEPENDS rtindex_cli
    VERBATIM)
  add_custom_target(rtindex_manual ALL DEPENDS ${debian_files}/rtindex.1.gz)
  install(FILES ${debian_files}/rtindex.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
          COMPONENT command)
endif()

include(CPack)
