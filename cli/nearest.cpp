#include <memory>
#include <utility>
#include <vector>

#include "cli/batch.hpp"
#include "cli/key_input.hpp"
#include "cli/neighbour_options.hpp"
#include "cli/verbs.hpp"

namespace rtindex::cli {

namespace {

struct NearestVerb : BatchOptions {
  KeyInput keys;
  NeighbourOptions neighbours;
};

void find_neighbours(const NearestVerb& options) {
  LookupSource source = options.keys.source(options);
  source.load = [&](const LoadedColumn& column) {
    std::vector<LoadedQuery> lookups;
    lookups.push_back(options.keys.load(options, column));
    lookups.back().settings = Query::nearest({}, options.neighbours.options(column));
    return lookups;
  };
  run_batch(options, source);
}

constexpr const char* nearest_examples =
    R"help(Of equal keys, backward finds the last row and forward the first. All other answers are
about all rows with the neighbour's key. In composite keys the last part has neighbours; the parts
before it must be equal. Of intervals, all that contain the key match, or else all with the closest
end before it or start behind it.

Examples:
  rtindex nearest --column times.npy --key 2024-01-31T12:30:05 --answer any,key
      The row and the time of the last reading at or before this time.
  rtindex nearest --column times.npy --keys events.npy --tolerance 5s -o rows.npy
      The last reading of every event, unless it is older than five seconds.
  rtindex nearest --column keys.npy --keys wanted.npy --direction forward --no-exact \
                  --answer key --matched found.npy -o next.npy
      The next greater key; 0, NaN or NaT if there is none, which --matched shows.
  rtindex nearest --column quotes.csv --csv-column symbol --csv-column time \
                  --key ACME,2024-01-31T12:30 --answer any
      The last quote of a symbol at a time.
  rtindex nearest --column genes.csv --start from --end to --ends "[)" --by chrom \
                  --key chr1,160 --direction nearest --answer rows
      The genes at a position, or the closest ones.)help";

}  // namespace

void add_nearest(CLI::App& app) {
  auto options = std::make_shared<NearestVerb>();
  CLI::App* verb =
      app.add_subcommand("nearest", "Find the closest key or interval before or after a key.");
  options->add_input_to(*verb);
  options->intervals.add_to(*verb);
  options->keys.add_to(*verb);
  verb->add_option("--direction", options->neighbours.direction,
                   "backward, the greatest key at or before (default);\n"
                   "forward, the smallest at or after; nearest, the closer\n"
                   "of both")
      ->type_name("DIRECTION")
      ->group(neighbour_group);
  options->neighbours.add_to(*verb);
  options->add_output_to(*verb);
  verb->footer(nearest_examples);
  verb->callback([options] { find_neighbours(*options); });
}

}  // namespace rtindex::cli
