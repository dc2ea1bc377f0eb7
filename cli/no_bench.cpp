#include "base/error.hpp"
#include "cli/verbs.hpp"

namespace rtindex::cli {

// In place of bench.cpp in builds without the experiments.
void add_bench(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("bench", "Run the experiments of the paper (not built).");
  verb->allow_extras();
  verb->callback([] {
    fail(ErrorKind::unavailable,
         "this build has no experiments: build with `cmake --preset release && cmake --build "
         "build/release`");
  });
}

}  // namespace rtindex::cli
