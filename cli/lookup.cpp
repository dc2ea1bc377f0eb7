#include <memory>

#include "cli/batch.hpp"
#include "cli/key_input.hpp"
#include "cli/verbs.hpp"

namespace rtindex::cli {

namespace {

struct PointOptions : BatchOptions {
  KeyInput keys;
};

constexpr const char* lookup_examples = R"(Examples:
  rtindex lookup --column keys.npy --key 42 --key 43 --answer rows
      Which rows hold the keys 42 and 43? Prints a table.
  rtindex lookup --column keys.npy --keys wanted.npy --answer first -o rows.npy
      The smallest matching rowID of every key; 4294967295 for a miss.
  rtindex lookup --column keys.npy --keys wanted.npy --values price.npy --answer sum,count \
                 --matched hit.npy -o out.npy
      Writes out.sum.npy, out.count.npy and, for each key, whether it matched.
  rtindex lookup --load keys.rtindex --keys wanted.npy --answer any -o rows.npy
      An index saved by `rtindex build`.
  rtindex lookup --column books_uint64 --format sosd64 --keys wanted.npy --answer any -o rows.npy
      Keys in a file of the SOSD benchmark.
  rtindex lookup --column people.csv --csv-column city --key Oslo --answer count \
                 --index rx:embree,primitive=aabb
      A column of a CSV file, and an index by its spec.
  rtindex lookup --column visits.csv --csv-column city --csv-column day --key Oslo,2024-01-31 \
                 --answer rows
      Composite keys; with --key Oslo all rows of the city.)";

}  // namespace

void add_lookup(CLI::App& app) {
  auto options = std::make_shared<PointOptions>();
  CLI::App* verb = app.add_subcommand("lookup", "Find the rows that hold a key.");
  options->add_input_to(*verb);
  options->keys.add_to(*verb);
  options->add_output_to(*verb);
  verb->footer(lookup_examples);
  verb->callback([options] { run_batch(*options, options->keys.source(*options)); });
}

}  // namespace rtindex::cli
