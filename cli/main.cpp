#include "cli/command.hpp"

int main(int argc, char** argv) { return rtindex::cli::run_command(argc, argv); }
