#pragma once

namespace rtindex::cli {

// The `rtindex` command: reads its arguments, runs a verb and returns the exit code.
[[nodiscard]] int run_command(int argc, char** argv);

}  // namespace rtindex::cli
