# The device programs of rx:optix, as PTX in a string of the library. The driver compiles PTX of the
# oldest architecture that we know for whatever GPU it finds.
function(rtindex_embed_optix_programs target)
  set(folder ${CMAKE_CURRENT_SOURCE_DIR}/tracers/optix)
  set(ptx ${CMAKE_CURRENT_BINARY_DIR}/optix_programs.ptx)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/optix_programs.cpp)
  add_custom_command(
    OUTPUT ${ptx}
    COMMAND
      ${CMAKE_CUDA_COMPILER} -ptx -rdc=true -arch=compute_75 ${RTINDEX_CUDA_FLAGS}
      -I${PROJECT_SOURCE_DIR}/src -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_BINARY_DIR}/include
      -MD -MF ${ptx}.d -MT ${ptx} ${folder}/programs/programs.cu -o ${ptx}
    DEPENDS ${folder}/programs/programs.cu
    DEPFILE ${ptx}.d
    COMMENT "Compiling the device programs of rx:optix"
    VERBATIM)
  add_custom_command(
    OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -DFROM=${ptx} -DTO=${source} -P
            ${PROJECT_SOURCE_DIR}/cmake/embed_ptx.cmake
    DEPENDS ${ptx} ${PROJECT_SOURCE_DIR}/cmake/embed_ptx.cmake
    COMMENT "Embedding the device programs of rx:optix"
    VERBATIM)
  target_sources(${target} PRIVATE ${source})
endfunction()
