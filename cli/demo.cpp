#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>

#include "base/error.hpp"
#include "cli/demo/demo.hpp"
#include "cli/verbs.hpp"
#include "drawing/scene_model.hpp"

namespace rtindex::cli {

namespace {

constexpr std::uint64_t default_rows = std::uint64_t{1} << 20;
constexpr std::uint64_t quick_rows = std::uint64_t{1} << 16;
constexpr std::uint64_t max_rows = std::uint64_t{1} << 27;

struct DemoOptions {
  std::uint64_t rows = default_rows;
  bool quick = false;
};

void demo(const DemoOptions& options) {
  if (options.rows == 0 || options.rows > max_rows)
    fail("invalid --rows {}: expected 1 to {}", options.rows, max_rows);
  if (available_ray_tracer())
    show_paper_examples();
  else
    fmt::print(
        "The paper's examples need a tracer that casts rays, and none is available;\n"
        "`rtindex indexes` shows why.\n\n");
  const std::uint64_t rows = options.quick ? std::min(options.rows, quick_rows) : options.rows;
  run_race({rows, rows, std::max<std::uint64_t>(1, rows / 16)});
  fmt::print(R"(What to try next:
  rtindex indexes
      Every index, whether it is available here, and its options.
  rtindex lookup --column keys.npy --key 42 --answer rows
      Your own column: .npy, .csv or SOSD.
  rtindex draw --column keys.npy --range 23:25 --key 29 -o scene.svg
      A picture of a small column, with the rays of its lookups.
)");
}

constexpr const char* demo_examples = R"(Examples:
  rtindex demo
      The paper's examples answered by rays, then 2^20 keys on every available index.
  rtindex demo --quick
      The same with 2^16 keys, in a few seconds.
  rtindex demo --rows 16777216
      More keys, and as many lookups; a second or two per index.)";

}  // namespace

void add_demo(CLI::App& app) {
  auto options = std::make_shared<DemoOptions>();
  CLI::App* verb = app.add_subcommand("demo", "See lookups answered by rays, in under a minute.");
  verb->get_help_ptr()->description("Print this help");
  verb->add_option("--rows", options->rows, "Size of the column (2^20)")->type_name("N");
  verb->add_flag("--quick", options->quick, "At most 2^16 keys");
  verb->footer(demo_examples);
  verb->callback([options] { demo(*options); });
}

}  // namespace rtindex::cli
