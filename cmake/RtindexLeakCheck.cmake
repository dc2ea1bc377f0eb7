# Sets RTINDEX_LEAK_CHECK: whether LeakSanitizer works here. It needs to trace its own process,
# which some containers forbid.

if(NOT DEFINED RTINDEX_LEAK_CHECK)
  set(leak_check_source ${PROJECT_BINARY_DIR}/CMakeFiles/leak_check.cpp)
  file(WRITE ${leak_check_source}
       "extern \"C\" const char* __asan_default_options() { return \"detect_leaks=1\"; }\n"
       "int main() { return 0; }\n")
  try_run(
    leak_check_exit leak_check_compiled ${PROJECT_BINARY_DIR}/CMakeFiles/leak_check
    ${leak_check_source}
    COMPILE_DEFINITIONS -fsanitize=address
    LINK_OPTIONS -fsanitize=address)
  if(leak_check_compiled AND leak_check_exit EQUAL 0)
    set(RTINDEX_LEAK_CHECK ON CACHE INTERNAL "LeakSanitizer works here")
  else()
    set(RTINDEX_LEAK_CHECK OFF CACHE INTERNAL "LeakSanitizer works here")
    message(STATUS "LeakSanitizer cannot run here; leaks are not checked")
  endif()
endif()
