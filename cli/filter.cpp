// The verb that filters rows by conditions on several columns.

#include <memory>
#include <vector>

#include "base/error.hpp"
#include "cli/batch.hpp"
#include "cli/key_input.hpp"
#include "cli/loaded_query.hpp"
#include "cli/verbs.hpp"
#include "cli/where.hpp"

namespace rtindex::cli {

namespace {

struct FilterOptions : BatchOptions {
  WhereOptions where;
};

void run(FilterOptions options) {
  if (options.saved.empty() && options.columns.empty())
    fail("missing columns: pass --column FILE, or --load FILE.rtindex for saved points");
  if (options.saved.empty()) options.where.add_columns_to(options);
  LookupSource source;
  source.of_points = true;
  source.has_value = options.where.has_value();
  source.how = "conditions: --where NAME=LOWER:UPPER or --where NAME=VALUE";
  source.load = [&](const LoadedColumn& column) {
    std::vector<LoadedQuery> queries;
    queries.push_back(options.where.query(column, ends_named(options.ends), options.csv));
    return queries;
  };
  run_batch(options, source);
}

constexpr const char* filter_examples =
    R"help(A condition is a range with both ends, LOWER:UPPER, of which one may be missing; a value, or
several separated by commas, of which a row has one; or nothing, for rows without a value (nulls).
A range in brackets has ends of its own, whatever --ends: [10:20), (10:20], (10:20) or [10:20].
Rows match all conditions. Values with a comma or a colon are quoted as in CSV files.
An empty text is city="" (in single quotes for the shell): an empty field is null, "" is a text.

Examples:
  rtindex filter --column sales.csv --where price=10:20 --where day=2024-01-01: --answer count
      How many sales at a price from 10 to 20 were there since the beginning of 2024?
  rtindex filter --column sales.csv --where store=7,8 --where "price=[10:100)" \
                 --answer rows -o rows.csv
      The rows of two stores from one price to below another.
  rtindex filter --column sales.csv --where day=2024-01-31 --where store=7 --values amount \
                 --answer sum,mean
      The amounts of a store on one day.
  rtindex build --column sales.csv --points --csv-column price --csv-column day \
                --include amount -o sales.rtindex
  rtindex filter --load sales.rtindex --where price=10:20 --values amount --answer sum
      Points that are saved once, with the names of their columns.
  rtindex filter --column price.npy --column day.npy --where price=10:20 --where day=2024-01-01:
      Columns from arrays, which are named like their files.)help";

}  // namespace

void add_filter(CLI::App& app) {
  auto options = std::make_shared<FilterOptions>();
  CLI::App* verb =
      app.add_subcommand("filter", "Find the rows that meet conditions on several columns.");
  options->add_input_to(*verb);
  options->where.add_to(*verb, input_group);
  add_ends_option(*verb, options->ends);
  options->add_output_to(*verb);
  verb->footer(filter_examples);
  verb->callback([options] { run(*options); });
}

}  // namespace rtindex::cli
