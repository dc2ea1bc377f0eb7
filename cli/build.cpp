#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "cli/batch.hpp"
#include "cli/interrupt.hpp"
#include "cli/json_text.hpp"
#include "cli/progress.hpp"
#include "cli/records.hpp"
#include "cli/summary.hpp"
#include "cli/value_columns.hpp"
#include "cli/verbs.hpp"

namespace rtindex::cli {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

void require_different_names(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  const auto same = std::adjacent_find(names.begin(), names.end());
  if (same != names.end()) fail("two columns of points are named '{}': rename one of them", *same);
}

void run(const BatchOptions& options) {
  const Spec spec(options.index);
  if (options.columns.empty() && !options.intervals.has_value())
    fail("missing column: pass --column FILE, or --start FILE and --end FILE of intervals");
  if (options.output.empty() || options.output == standard_stream)
    fail("missing output: pass -o FILE.rtindex");
  if (options.as_points && options.intervals.has_value())
    fail("conflicting --points and --start, --end, --by or --ends: pass one of them");
  require_output(options.output, options.input_files());
  const auto style = options.quiet ? Progress::Style::silent : Progress::on_terminal_only();
  const LoadedColumn column = options.load_column();
  require_different_names(column.part_names());
  const std::vector<NamedColumn> included = load_included(options, column);
  options.require_csv_effect();

  Summary summary;
  for (const NamedColumn& one : included) summary.add_note(one.column, one.name);
  auto start = Clock::now();
  const InterruptGuard guard;
  std::optional<Progress> progress;
  progress.emplace("building " + spec.text(), Progress::of_call, style);
  Index index = build(column.view(), spec,
                      {.include = included_columns(included), .control = progress->control()});
  if (index.time_unit() == TimeUnit::unspecified && !column.unit().empty())
    index.set_metadata(numpy_unit_name, column.unit());
  if (const std::string text = inferred_texts(column); !text.empty())
    index.set_metadata(inferred_text_entry, text);
  if (column.are_points()) index.set_metadata(column_names_entry, json_array(column.part_names()));
  summary.build_seconds = std::chrono::duration<double>(Clock::now() - start).count();

  start = Clock::now();
  progress.emplace("writing " + options.output, Progress::of_call, style);
  {
    const ControlledCalls controlled(progress->control());
    index.save(options.output);
  }
  progress.reset();
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (options.describe) fmt::print("{}", index.describe());
  std::fflush(stdout);
  if (!options.quiet)
    fmt::print(stderr, "{}wrote    {}: {} in {}\n", summary.text(column, index), options.output,
               human_bytes(fs::file_size(options.output)), milliseconds_text(seconds));
}

constexpr const char* build_examples = R"help(Examples:
  rtindex build --column keys.npy -o keys.rtindex
      Then: rtindex lookup --load keys.rtindex --keys wanted.npy -o rows.npy
  rtindex build --column people.csv --csv-column city --index btree -o city.rtindex
      A column of a CSV file, and an index by its spec.
  rtindex build --column keys.npy --include price.npy -o prices.rtindex
      Then: rtindex range --load prices.rtindex --range 10:99 --answer sum
      A sum over a million matches is as fast as over one.
  rtindex build --column sales.csv --csv-column day --include price --include qty -o sales.rtindex
      Then: rtindex lookup --load sales.rtindex --key 2024-01-31 --values qty --answer sum
  rtindex build --column prices.csv --start from --end to --ends "[)" -o valid.rtindex
      Intervals. Then: rtindex contains --load valid.rtindex --key 2024-01-31 --answer rows
  rtindex build --column sales.csv --points --csv-column price --csv-column day -o points.rtindex
      Points. Then: rtindex filter --load points.rtindex --where price=10:20 --answer count
  rtindex build --column books_uint64 --format sosd64 --describe -o books.rtindex
      Also print the full spec, the memory and the reasons for defaults.

The file is written atomically and mapped when it is loaded: even a large one opens in
milliseconds. rx:embree and indexes on a GPU are rebuilt from the column in the file.)help";

}  // namespace

void add_build(CLI::App& app) {
  auto options = std::make_shared<BatchOptions>();
  CLI::App* verb = app.add_subcommand("build", "Build an index and save it to a file.");
  options->add_column_to(*verb);
  verb->add_flag("--points", options->as_points,
                 "The columns are those of points, 2 to 8, for the conditions\n"
                 "of `rtindex filter --load`, not the parts of composite keys")
      ->group(input_group);
  options->intervals.add_to(*verb);
  add_files_option(*verb, "--include", options->include,
                   "Values of sum, mean, min and max, stored in key order: a\n"
                   "column of the CSV file --column, or a file with one value\n"
                   "per row, whose name they have; repeatable. --values of the\n"
                   "verbs that load the index chooses one by name")
      ->allow_extra_args(false)
      ->type_name("NAME");
  verb->add_option("--include-csv-column", options->include_csv_columns,
                   "Column of the CSV file --include; repeatable")
      ->allow_extra_args(false)
      ->type_name("NAME")
      ->group(csv_group);
  verb->add_option("--index", options->index,
                   "Index to build (auto); `rtindex indexes` explains specs")
      ->type_name("SPEC")
      ->group(index_group);
  verb->add_flag("--describe", options->describe,
                 "Print the full spec, the memory and the reasons for defaults")
      ->group(index_group);
  verb->add_option("-o,--output", options->output, "The index file")
      ->type_name("FILE.rtindex")
      ->group(output_group);
  verb->add_flag("-q,--quiet", options->quiet, "No summary, notes or progress on stderr")
      ->group(output_group);
  verb->footer(build_examples);
  verb->callback([options] { run(*options); });
}

}  // namespace rtindex::cli
