#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include <rtindex/rtindex.hpp>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "cli/batch.hpp"
#include "cli/interrupt.hpp"
#include "cli/progress.hpp"
#include "cli/records.hpp"
#include "cli/summary.hpp"
#include "cli/verbs.hpp"

namespace rtindex::cli {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

void run(const BatchOptions& options) {
  const Spec spec(options.index);
  if (options.columns.empty() && !options.intervals.has_value())
    fail("missing column: pass --column FILE, or --start FILE and --end FILE of intervals");
  if (options.output.empty() || options.output == standard_stream)
    fail("missing output: pass -o FILE.rtindex");
  require_output(options.output, options.input_files());
  const auto style = options.quiet ? Progress::Style::silent : Progress::on_terminal_only();
  std::optional<Progress> progress;
  progress.emplace("reading", 0, style);
  const LoadedColumn column = options.load_column();
  const LoadedColumn values = options.load_values(column);

  Summary summary;
  summary.add_note(values);
  auto start = Clock::now();
  const InterruptGuard guard;
  progress.emplace("building " + spec.text(), Progress::of_call, style);
  BuildOptions build_options{.control = progress->control()};
  if (!options.values.empty()) build_options.include = values.view();
  Index index = build(column.view(), spec, build_options);
  if (index.time_unit() == TimeUnit::unspecified && !column.unit().empty())
    index.set_metadata(numpy_unit_name, column.unit());
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
  rtindex build --column prices.csv --start from --end to --ends "[)" -o valid.rtindex
      Intervals. Then: rtindex contains --load valid.rtindex --key 2024-01-31 --answer rows
  rtindex build --column books_uint64 --format sosd64 --describe -o books.rtindex
      Also print the full spec, the memory and the reasons for defaults.

The file is written atomically and mapped when it is loaded: even a large one opens in
milliseconds. rx:embree and indexes on a GPU are rebuilt from the column in the file.)help";

}  // namespace

void add_build(CLI::App& app) {
  auto options = std::make_shared<BatchOptions>();
  CLI::App* verb = app.add_subcommand("build", "Build an index and save it to a file.");
  options->add_column_to(*verb);
  options->intervals.add_to(*verb);
  options->values_csv_option = "--include-csv-column";
  add_file_option(*verb, "--include", options->values,
                  "File with one value per row, stored in key order: sum, min\n"
                  "and max of the saved index then need no --values");
  verb->add_option(options->values_csv_option, options->values_csv_column,
                   "Column of --include, if it differs")
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
  verb->add_flag("-q,--quiet", options->quiet, "No summary and no progress on stderr")
      ->group(output_group);
  verb->footer(build_examples);
  verb->callback([options] { run(*options); });
}

}  // namespace rtindex::cli
