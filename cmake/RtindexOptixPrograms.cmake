# Device programs for OptiX, as PTX in a string of the target: `source` becomes the function
# rtindex::optix::<function>(). The driver compiles PTX of the oldest architecture that we know for
# whatever GPU it finds.
function(rtindex_embed_optix_programs target source function)
  set(ptx ${CMAKE_CURRENT_BINARY_DIR}/optix_${function}.ptx)
  set(embedded ${CMAKE_CURRENT_BINARY_DIR}/optix_${function}.cpp)
  add_custom_command(
    OUTPUT ${ptx}
    COMMAND
      ${CMAKE_CUDA_COMPILER} -ptx -rdc=true -arch=compute_75 ${RTINDEX_CUDA_FLAGS}
      -I${PROJECT_SOURCE_DIR}/src -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_BINARY_DIR}/include
      -I${PROJECT_SOURCE_DIR}/bench
      -MD -MF ${ptx}.d -MT ${ptx} ${source} -o ${ptx}
    DEPENDS ${source}
    DEPFILE ${ptx}.d
    COMMENT "Compiling device programs for OptiX: ${function}"
    VERBATIM)
  add_custom_command(
    OUTPUT ${embedded}
    COMMAND ${CMAKE_COMMAND} -DFROM=${ptx} -DTO=${embedded} -DFUNCTION=${function} -P
            ${PROJECT_SOURCE_DIR}/cmake/embed_ptx.cmake
    DEPENDS ${ptx} ${PROJECT_SOURCE_DIR}/cmake/embed_ptx.cmake
    COMMENT "Embedding device programs for OptiX: ${function}"
    VERBATIM)
  target_sources(${target} PRIVATE ${embedded})
endfunction()
