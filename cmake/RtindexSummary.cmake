message(STATUS "rtindex ${PROJECT_VERSION}: ${CMAKE_BUILD_TYPE}, executor ${RTINDEX_EXECUTOR}, "
               "sanitizers ${RTINDEX_SANITIZE}")
message(STATUS "  embree: ${RTINDEX_EMBREE_NOTE}")
message(STATUS "  cuda:   ${RTINDEX_CUDA_NOTE}")
