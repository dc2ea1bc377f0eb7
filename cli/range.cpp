#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "cli/batch.hpp"
#include "cli/lookups.hpp"
#include "cli/verbs.hpp"

namespace rtindex::cli {

namespace {

struct RangeOptions : BatchOptions {
  std::string lower, upper;
  std::string lower_csv_column, upper_csv_column;
  std::vector<std::string> ranges;
};

struct Ends {
  std::vector<std::string> lower, upper;
};

Ends split(const std::vector<std::string>& ranges, const LoadedColumn& column) {
  Ends ends;
  for (const std::string& text : ranges) {
    RangeText range = split_range(text, column);
    ends.lower.push_back(std::move(range.lower));
    ends.upper.push_back(std::move(range.upper));
  }
  return ends;
}

void run(const RangeOptions& options) {
  const bool from_files = !options.lower.empty() || !options.upper.empty();
  if (from_files && !options.ranges.empty())
    fail("conflicting --range and --lower or --upper: pass files or ranges, not both");
  if (options.lower.empty() != options.upper.empty())
    fail("missing --{}: ranges need --lower and --upper",
         options.lower.empty() ? "lower" : "upper");
  LookupSource source;
  source.given = from_files || !options.ranges.empty();
  source.how = "--lower FILE and --upper FILE, or --range L:U for single ranges";
  if (from_files) source.files = {options.lower, options.upper};
  source.load = [&](const LoadedColumn& column) {
    Lookups lookups{.kind = LookupKind::range};
    if (from_files) {
      lookups.lower = load(options.lookup_file(options.lower, options.lower_csv_column,
                                               "--lower-csv-column", column));
      lookups.upper = load(options.lookup_file(options.upper, options.upper_csv_column,
                                               "--upper-csv-column", column));
    } else {
      const Ends ends = split(options.ranges, column);
      lookups.lower = inline_keys(ends.lower, "--range", column);
      lookups.upper = inline_keys(ends.upper, "--range", column);
      lookups.lower_text = ends.lower;
      lookups.upper_text = ends.upper;
    }
    return lookups;
  };
  run_batch(options, source);
}

constexpr const char* range_examples =
    R"(Ranges include both bounds; a range whose lower bound is above its upper bound is empty.

Examples:
  rtindex range --column keys.npy --range 10:19 --range 100:200 --answer count
      How many rows hold a key from 10 to 19, and from 100 to 200? Prints a table.
  rtindex range --column keys.npy --lower l.npy --upper u.npy --values price.npy --answer sum \
                -o sums.npy
      The sum of the prices of each range.
  rtindex range --column keys.npy --lower l.npy --upper u.npy --answer rows --limit 10 -o out.npy
      At most ten rowIDs of each range: those of range i are
      rows[offsets[i]:offsets[i+1]], from out.offsets.npy and out.rows.npy.
  rtindex range --load keys.rtindex --range 10:19 --answer count
      An index saved by `rtindex build`.
  rtindex range --column visits.npy --range 2024-01-01:2024-01-31 \
                --range 2024-01-31T12:30:2024-01-31T13:00:05.25 --answer count
      Dates and times, where visits.npy holds datetime64.
  rtindex range --column orders.csv --csv-column day --lower months.csv --upper months.csv \
                --lower-csv-column first --upper-csv-column last --answer count -o n.npy
      Everything from CSV files.)";

}  // namespace

void add_range(CLI::App& app) {
  auto options = std::make_shared<RangeOptions>();
  CLI::App* verb = app.add_subcommand("range", "Find the rows whose keys lie in given ranges.");
  options->add_input_to(*verb);
  add_file_option(*verb, "--lower", options->lower, "File with the lower bounds");
  add_file_option(*verb, "--upper", options->upper, "File with the upper bounds");
  verb->add_option("--range", options->ranges,
                   "A range, instead of the two files; repeatable. Dates and\n"
                   "times as 2024-01-31 and 2024-01-31T12:30:05")
      ->type_name("L:U")
      ->group(input_group);
  verb->add_option("--lower-csv-column", options->lower_csv_column, "The same for --lower alone")
      ->type_name("NAME")
      ->group(csv_group);
  verb->add_option("--upper-csv-column", options->upper_csv_column, "The same for --upper alone")
      ->type_name("NAME")
      ->group(csv_group);
  options->add_output_to(*verb);
  verb->footer(range_examples);
  verb->callback([options] { run(*options); });
}

}  // namespace rtindex::cli
