#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "cli/batch.hpp"
#include "cli/interrupt.hpp"
#include "cli/progress.hpp"
#include "cli/summary.hpp"
#include "cli/update_input.hpp"
#include "cli/verbs.hpp"
#include "file/atomic_file.hpp"

namespace rtindex::cli {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

void require_valid(const UpdateOptions& options) {
  if (options.saved.empty()) fail("missing index: pass the FILE.rtindex to change");
  if (!options.changes())
    fail(
        "missing change: pass --insert, --erase, --erase-keys, --set-keys, --set-included or "
        "--merge");
  if (options.verify != "quick" && options.verify != "full")
    fail("invalid --verify {}: expected quick or full", options.verify);
  if (!options.insert.empty() && !options.insert_key.empty())
    fail("conflicting --insert and --insert-key: pass a file or keys, not both");
  if (!options.erase.empty() && !options.erase_row.empty())
    fail("conflicting --erase and --erase-row: pass a file or rows, not both");
  if (!options.erase_keys.empty() && !options.erase_key.empty())
    fail("conflicting --erase-keys and --erase-key: pass a file or keys, not both");
  if (!options.include.empty() && !options.inserts())
    fail("--include needs --insert; for existing rows, pass --set-included ROWS VALUES");
}

void require_output_apart(const UpdateOptions& options) {
  AtomicFile::require_writable(options.output);
  std::error_code error;
  for (const std::string& file : options.input_files())
    if (!file.empty() && fs::equivalent(options.output, file, error) && !error)
      fail("{} is also an input: pass another output file", options.output);
}

// The line of describe() that starts with `name`, without it.
std::string described(const Index& index, const std::string& name) {
  const std::string text = "\n" + index.describe();
  const std::size_t start = text.find("\n" + name + ": ");
  if (start == std::string::npos) return {};
  const std::size_t from = start + name.size() + 3;
  return text.substr(from, text.find('\n', from) - from);
}

double seconds_from(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void run(UpdateOptions options) {
  require_valid(options);
  if (options.output.empty()) options.output = options.saved;
  require_output_apart(options);
  const auto style = options.quiet ? Progress::Style::silent : Progress::on_terminal_only();

  auto start = Clock::now();
  std::optional<Progress> progress;
  progress.emplace("loading " + options.saved, Progress::of_call, style);
  std::optional<InterruptGuard> guard(std::in_place);
  Index index =
      load(options.saved, {.verify = options.verify == "full" ? Verify::full : Verify::quick,
                           .control = progress->control()});
  guard.reset();
  progress.reset();  // files of changes show their own
  const double load_seconds = seconds_from(start);
  const Changes changes = load_changes(options, index);
  options.require_csv_effect();
  options.csv.require_columns("--rows-csv-column", {options.rows_csv_column});

  guard.emplace();
  progress.emplace("changing " + options.saved, Progress::of_call, style);
  start = Clock::now();
  const std::string report = [&] {
    const ControlledCalls controlled(progress->control());
    return changes.apply(index);
  }();
  const double change_seconds = seconds_from(start);
  start = Clock::now();
  progress.emplace("writing " + options.output, Progress::of_call, style);
  {
    const ControlledCalls controlled(progress->control());
    index.save(options.output);
  }
  progress.reset();
  guard.reset();
  const double write_seconds = seconds_from(start);

  fmt::print("{}rows     {}, {} valid\nsegments {}\n", report, index.size(), index.valid(),
             described(index, "segments"));
  if (options.describe) fmt::print("\n{}", index.describe());
  std::fflush(stdout);
  if (!options.quiet)
    fmt::print(stderr, "loaded   {} in {}\nchanged  in {}\nwrote    {}: {} in {}\n", options.saved,
               milliseconds_text(load_seconds), milliseconds_text(change_seconds), options.output,
               human_bytes(fs::file_size(options.output)), milliseconds_text(write_seconds));
}

constexpr const char* update_examples = R"(Examples:
  rtindex update keys.rtindex --insert new.npy
      Append one row per key, and save the index in place:
        inserted 3 rows from rowID 1000
        rows     1003, 1003 valid
  rtindex update keys.rtindex --erase rows.npy --merge -o smaller.rtindex
      Erase rows by rowID, drop them from the structure, and write another file.
  rtindex update city.rtindex --erase-key Oslo --erase-key Bergen
      Erase all rows that hold one of these keys.
  rtindex update keys.rtindex --set-keys rows.npy keys.npy
      Row rows[i] now holds keys[i].
  rtindex update prices.rtindex --erase-keys k.npy --insert k.npy --include price.npy
      Replace all rows of these keys by new ones with included values.
  rtindex update sales.rtindex --insert new.csv --csv-column day --include price --include qty
      Append rows with two included columns, all from one CSV file.
  rtindex update sales.rtindex --set-included rows.npy price=new_prices.npy
      New values of one of several included columns.
  rtindex update bookings.rtindex --insert new.csv --start begin --end until --by room
      Append intervals, from the columns of a CSV file; without --insert, --start and --end are
      files. With --set-keys ROWS FILE.csv, these rows get them.
  rtindex update points.rtindex --insert new.csv
      Append points, from the columns that have the names of those of the index.

Changes are applied in the order of the list above: --erase, --erase-keys, --set-keys,
--set-included, --insert, --merge. rowIDs in files are those of the saved index; the rowIDs of
erased rows are not reused. If a change is rejected, nothing is written.)";

void add_changes(CLI::App& verb, UpdateOptions& options) {
  constexpr const char* group = "Changes, in the order in which they are applied";
  const auto add_pair = [&](const char* name, std::pair<std::string, std::string>& files,
                            const char* types, const char* help) {
    verb.add_option(name, files, help)->type_name(types)->group(group);
  };
  // One element each: the index file may follow.
  const auto add_elements = [&](const char* name, auto& elements, const char* type,
                                const char* help) {
    verb.add_option(name, elements, help)->allow_extra_args(false)->type_name(type)->group(group);
  };
  add_file_option(verb, "--erase", options.erase, "File with rowIDs: erase these rows")
      ->group(group);
  add_elements("--erase-row", options.erase_row, "N",
               "A rowID to erase, instead of --erase; repeatable");
  add_file_option(verb, "--erase-keys", options.erase_keys,
                  "File with keys: erase all rows that hold one of them")
      ->group(group);
  add_elements("--erase-key", options.erase_key, "K",
               "A key to erase, instead of --erase-keys; repeatable");
  add_pair("--set-keys", options.set_keys, "ROWS KEYS",
           "Two files with rowIDs and their new keys; a null key\nleaves its row without a key");
  add_pair("--set-included", options.set_included, "ROWS VALUES",
           "Two files with rowIDs and their new included values;\nNAME=FILE names one of several "
           "included columns");
  add_file_option(verb, "--insert", options.insert, "File with keys: append a row for each")
      ->group(group);
  add_elements("--insert-key", options.insert_key, "K",
               "A key to insert, instead of --insert; repeatable");
  add_files_option(verb, "--include", options.include,
                   "Included values of the inserted rows, for an index that was\n"
                   "built with --include: a column of the CSV file --insert, or\n"
                   "a file; repeat it for each included column, by its name")
      ->allow_extra_args(false)
      ->type_name("NAME")
      ->group(group);
  verb.add_option("--start", options.intervals.start,
                  "Of intervals: the column of starts in the CSV file of\n"
                  "--insert or --set-keys; without these, a file to insert")
      ->type_name("NAME")
      ->group(interval_group);
  verb.add_option("--end", options.intervals.end, "The ends of intervals, likewise")
      ->type_name("NAME")
      ->group(interval_group);
  verb.add_option("--by", options.intervals.by, "A leading column of intervals; repeatable")
      ->allow_extra_args(false)
      ->type_name("NAME")
      ->group(interval_group);
  verb.add_flag("--merge", options.merge,
                "Merge all segments into one, without erased rows: the\n"
                "fastest for lookups")
      ->group(group);
}

}  // namespace

void add_update(CLI::App& app) {
  auto options = std::make_shared<UpdateOptions>();
  CLI::App* verb = app.add_subcommand("update", "Insert, erase and change rows of a saved index.");
  verb->get_help_ptr()->description("Print this help");
  verb->add_option("index", options->saved, "Index file of `rtindex build`")
      ->type_name("FILE.rtindex")
      ->group(input_group);
  add_changes(*verb, *options);
  verb->add_option("--verify", options->verify,
                   "quick or full: full compares every byte that is read of\n"
                   "the index file with its checksum (quick)")
      ->type_name("HOW")
      ->group(input_group);
  verb->add_option("--format", options->format,
                   "npy, sosd32, sosd64 or csv: the format of files with an\n"
                   "unknown extension")
      ->type_name("FORMAT")
      ->group(input_group);
  verb->add_option("--csv-column", options->csv_columns, "Column of CSV files, by name")
      ->type_name("NAME")
      ->group(csv_group);
  verb->add_option("--rows-csv-column", options->rows_csv_column, "Column of rowIDs, if it differs")
      ->type_name("NAME")
      ->group(csv_group);
  verb->add_option("--include-csv-column", options->include_csv_columns,
                   "Column of included values, if it differs; repeatable")
      ->allow_extra_args(false)
      ->type_name("NAME")
      ->group(csv_group);
  options->csv.add_to(*verb);
  verb->add_flag("--describe", options->describe,
                 "Print the full spec, the segments and the memory")
      ->group(output_group);
  verb->add_option("-o,--output", options->output, "The changed index (default: in place)")
      ->type_name("FILE.rtindex")
      ->group(output_group);
  verb->add_flag("-q,--quiet", options->quiet, "No times and no progress on stderr")
      ->group(output_group);
  verb->footer(update_examples);
  verb->callback([options] { run(*options); });
}

}  // namespace rtindex::cli
