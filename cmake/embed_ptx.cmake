# cmake -DFROM=programs.ptx -DTO=programs.cpp -DFUNCTION=device_programs -P embed_ptx.cmake
file(READ ${FROM} text)
file(
  WRITE ${TO}
  "#include <string_view>\n\n"
  "namespace rtindex::optix {\n\n"
  "std::string_view ${FUNCTION}();\n"
  "std::string_view ${FUNCTION}() {\n"
  "  static constexpr char text[] = R\"PTX(${text})PTX\";\n"
  "  return {text, sizeof(text) - 1};\n"
  "}\n\n"
  "}  // namespace rtindex::optix\n")
