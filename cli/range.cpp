#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "cli/batch.hpp"
#include "cli/key_input.hpp"
#include "cli/loaded_query.hpp"
#include "cli/verbs.hpp"

namespace rtindex::cli {

namespace {

struct RangeOptions : BatchOptions {
  RangeInput ranges;
};

void run(const RangeOptions& options) {
  options.ranges.require_one_kind(options.ends);
  LookupSource source;
  source.has_value = options.ranges.has_value();
  source.how = "--lower FILE and --upper FILE, or --range L:U for single ranges";
  source.files = options.ranges.files();
  source.load = [&](const LoadedColumn& column) { return options.ranges.load(options, column); };
  run_batch(options, source);
}

constexpr const char* range_examples =
    R"help(Ranges include both bounds unless --ends says otherwise; a range whose lower bound is
above its upper bound is empty.

Examples:
  rtindex range --column keys.npy --range 10:19 --range 100:200 --answer count
      How many rows hold a key from 10 to 19, and from 100 to 200? Prints a table.
  rtindex range --column keys.npy --lower l.npy --upper u.npy --values price.npy --answer sum \
                -o sums.npy
      The sum of the prices of each range.
  rtindex range --column keys.npy --lower l.npy --upper u.npy --answer rows --limit 10 -o out.npy
      At most ten rowIDs of each range: those of range i are
      rows[offsets[i]:offsets[i+1]], from out.offsets.npy and out.rows.npy.
  rtindex range --column keys.npy --range 10:20 --range 20: --ends "[)" --answer count
      Ranges that meet without a key in both, and one without an end.
  rtindex range --column keys.npy --range 10: --answer rows --order key --limit 20
      The first 20 rows from key 10 on, in the order of their keys: a page of a list.
      With --order -key and --range :10, the last 20 before it.
  rtindex range --column people.csv --csv-column name --starts-with Ann --answer rows
      Strings that begin with a text.
  rtindex range --load keys.rtindex --range 10:19 --answer count
      An index saved by `rtindex build`.
  rtindex range --column visits.npy --range 2024-01-01:2024-01-31 \
                --range 2024-01-31T12:30:2024-01-31T13:00:05.25 --answer count
      Dates and times, where visits.npy holds datetime64.
  rtindex range --column orders.csv --csv-column day --lower months.csv --upper months.csv \
                --lower-csv-column first --upper-csv-column last --answer count -o n.npy
      Everything from CSV files.)help";

}  // namespace

void add_range(CLI::App& app) {
  auto options = std::make_shared<RangeOptions>();
  CLI::App* verb = app.add_subcommand("range", "Find the rows whose key lies in a range.");
  options->add_input_to(*verb);
  options->ranges.add_to(*verb);
  add_ends_option(*verb, options->ends);
  options->add_output_to(*verb);
  verb->footer(range_examples);
  verb->callback([options] { run(*options); });
}

}  // namespace rtindex::cli
