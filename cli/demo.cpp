#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>

#include "base/error.hpp"
#include "cli/demo/paper_examples.hpp"
#include "cli/demo/race.hpp"
#include "cli/verbs.hpp"
#include "picture/scene_model.hpp"

namespace rtindex::cli {

namespace {

constexpr std::uint64_t default_rows = std::uint64_t{1} << 20;
constexpr std::uint64_t quick_rows = std::uint64_t{1} << 16;
constexpr std::uint64_t most_rows = std::uint64_t{1} << 27;

struct DemoOptions {
  std::uint64_t rows = default_rows;
  bool quick = false;
};

void demo(const DemoOptions& options) {
  if (options.rows == 0 || options.rows > most_rows)
    fail("--rows {} is not possible: choose 1 to {}", options.rows, most_rows);
  if (available_ray_tracer())
    show_paper_examples();
  else
    fmt::print(
        "The examples of the paper need a tracer that casts rays, and none can be used here:\n"
        "`rtindex indexes` says why.\n\n");
  const std::uint64_t rows = options.quick ? std::min(options.rows, quick_rows) : options.rows;
  run_race({rows, rows, std::max<std::uint64_t>(1, rows / 16)});
  fmt::print(R"(What to try next:
  rtindex indexes
      Every index with its settings, usable here or the reason why not.
  rtindex lookup --column keys.npy --key 42 --answer rows
      Your own column: .npy, .csv or SOSD.
  rtindex draw --column keys.npy --range 23:25 --key 29 -o scene.svg
      A picture of a small column, with the rays of its lookups.
)");
}

constexpr const char* examples = R"(Examples:
  rtindex demo
      The paper's examples answered by rays, then 2^20 keys on every usable index.
  rtindex demo --quick
      The same with 2^16 keys, in a few seconds.
  rtindex demo --rows 16777216
      More keys; lookups stay as many as rows, up to a second or two for each index.)";

}  // namespace

void add_demo(CLI::App& app) {
  auto options = std::make_shared<DemoOptions>();
  CLI::App* verb = app.add_subcommand("demo", "Watch lookups answered by rays; under a minute.");
  verb->get_help_ptr()->description("Print this help");
  verb->add_option("--rows", options->rows, "Keys of the large column (2^20)")->type_name("N");
  verb->add_flag("--quick", options->quick, "A column of 2^16 keys at most");
  verb->footer(examples);
  verb->callback([options] { demo(*options); });
}

}  // namespace rtindex::cli
