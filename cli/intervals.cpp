// The verbs that search intervals: contains, overlaps, within and covers.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "cli/batch.hpp"
#include "cli/key_input.hpp"
#include "cli/verbs.hpp"
#include "column_files/text_values.hpp"

namespace rtindex::cli {

namespace {

struct ContainsOptions : BatchOptions {
  KeyInput keys;
};

struct RangesOptions : BatchOptions {
  RangeInput ranges;
};

// Throws if the call has no intervals; those of a saved index are checked by its queries.
void require_intervals(const BatchOptions& options) {
  if (options.saved.empty()) options.intervals.require_complete();
}

// The unit of the keys of the command line that have a time of day; empty if there are none.
std::string unit_of_times(const std::vector<std::string>& keys) {
  std::string unit;
  for (const std::string& key : keys) {
    const auto time = parse_iso_time(key.substr(key.rfind(',') + 1));  // npos + 1: all of it
    if (time && time->nanoseconds % 1000 != 0) return "ns";
    if (time && !time->is_date) unit = "us";
  }
  return unit;
}

void find_containing(ContainsOptions options) {
  require_intervals(options);
  options.intervals.key_unit = unit_of_times(options.keys.texts);
  LookupSource source = options.keys.source(options);
  source.load = [&](const LoadedColumn& points) {
    std::vector<LoadedQuery> lookups;
    lookups.push_back(options.keys.load(options, points));
    lookups.back().settings = Query::contains({});
    return lookups;
  };
  run_batch(options, source);
}

void find_by_ranges(const RangesOptions& options, QueryKind kind) {
  require_intervals(options);
  LookupSource source;
  source.has_value = options.ranges.has_value();
  source.how = "--lower FILE and --upper FILE, or --range L:U for single ranges";
  source.files = options.ranges.files();
  source.load = [&](const LoadedColumn& points) {
    return options.ranges.load(options, points, kind);
  };
  run_batch(options, source);
}

void add_ranges_verb(CLI::App& app, QueryKind kind, const std::string& description,
                     const char* examples) {
  auto options = std::make_shared<RangesOptions>();
  CLI::App* verb = app.add_subcommand(std::string(name_of(kind)), description);
  options->add_input_to(*verb);
  options->intervals.add_to(*verb);
  options->ranges.add_ranges_to(*verb);
  verb->add_option("--range-ends", options->ends,
                   "Which ends belong to the ranges of the queries: \"[]\"\n"
                   "(default), \"[)\", \"(]\" or \"()\"")
      ->type_name("ENDS")
      ->group(input_group);
  options->add_output_to(*verb);
  verb->footer(examples);
  verb->callback([options, kind] { find_by_ranges(*options, kind); });
}

constexpr const char* contains_examples = R"help(Examples:
  rtindex contains --column prices.csv --start valid_from --end valid_to --ends "[)" \
                   --key 2024-01-31 --answer rows
      Which prices were valid on this day? "[)": no longer on the day valid_to.
  rtindex contains --start low.npy --end high.npy --ends "[]" --keys addresses.npy -o network.npy
      The network range of each address, from arrays.
  rtindex contains --column genes.csv --start from --end to --ends "[)" --by chrom \
                   --key chr1,160 --answer count
      Leading columns must be equal: their values come first.
  rtindex contains --load prices.rtindex --keys days.csv --answer first -o rows.csv
      Intervals saved by `rtindex build --start ... --end ... --ends ...`.)help";

constexpr const char* overlaps_examples = R"help(Examples:
  rtindex overlaps --column bookings.csv --start begin --end until --ends "[)" \
                   --range 2024-01-31T12:30:2024-01-31T13:00 --answer rows
      Which bookings does an outage touch?
  rtindex overlaps --column bookings.csv --start begin --end until --ends "[)" --by room \
                   --range blue,9:11 --range-ends "[)" --answer count
      In the blue room only; the range is [9, 11).
  rtindex overlaps --start s.npy --end e.npy --ends "[]" --lower l.npy --upper u.npy \
                   --answer count -o n.npy)help";

constexpr const char* within_examples = R"help(Examples:
  rtindex within --column bookings.csv --start begin --end until --ends "[)" \
                 --range 2024-01-01:2024-01-31 --answer rows --order key
      Which bookings lie in January, in the order of their starts?)help";

constexpr const char* covers_examples = R"help(Examples:
  rtindex covers --column shifts.csv --start begin --end until --ends "[]" --range 9:17
      A shift that lasts from 9 to 17 or longer.)help";

}  // namespace

void add_contains(CLI::App& app) {
  auto options = std::make_shared<ContainsOptions>();
  CLI::App* verb = app.add_subcommand("contains", "Find the intervals that contain a key.");
  options->add_input_to(*verb);
  options->intervals.add_to(*verb);
  options->keys.add_to(*verb);
  options->add_output_to(*verb);
  verb->footer(contains_examples);
  verb->callback([options] { find_containing(*options); });
}

void add_overlaps(CLI::App& app) {
  add_ranges_verb(app, QueryKind::overlaps, "Find the intervals that overlap a range.",
                  overlaps_examples);
}

void add_within(CLI::App& app) {
  add_ranges_verb(app, QueryKind::within, "Find the intervals that lie within a range.",
                  within_examples);
}

void add_covers(CLI::App& app) {
  add_ranges_verb(app, QueryKind::covers, "Find the intervals that cover a range.",
                  covers_examples);
}

}  // namespace rtindex::cli
