# cmake -DFROM=programs.ptx -DTO=programs.cpp -P embed_ptx.cmake
file(READ ${FROM} text)
file(
  WRITE ${TO}
  "#include \"tracers/optix/device_programs.hpp\"\n\n"
  "namespace rtindex::optix {\n\n"
  "std::string_view device_programs() {\n"
  "  static constexpr char text[] = R\"PTX(${text})PTX\";\n"
  "  return {text, sizeof(text) - 1};\n"
  "}\n\n"
  "}  // namespace rtindex::optix\n")
