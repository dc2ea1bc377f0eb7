#pragma once

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <string>

#include <rtindex/error.hpp>

namespace rtindex::bench {

// An option for a power of two, such as a number of keys.
inline void add_log2(CLI::App& app, const std::string& name, int& log2, int most,
                     const std::string& of_what) {
  app.add_option(name, log2, "log2 of the " + of_what)
      ->check(CLI::Range(10, most))
      ->type_name("LOG2")
      ->capture_default_str();
}

inline void add_records(CLI::App& app, std::string& path) {
  app.add_option("--records", path, "append JSON records to this file")->type_name("FILE");
}

// What main() of a program returns: the result of run(argc, argv), or 2 and a line on stderr.
template <class Run>
[[nodiscard]] int run_program(Run&& run, int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const Error& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 2;
  }
}

}  // namespace rtindex::bench
