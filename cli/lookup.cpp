#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/batch.hpp"
#include "cli/verbs.hpp"

namespace rtindex::cli {

namespace {

struct PointOptions : BatchOptions {
  std::string keys;
  std::string keys_csv_column;
  std::vector<std::string> inline_keys;
};

void run(const PointOptions& options) {
  if (!options.keys.empty() && !options.inline_keys.empty())
    fail("conflicting --keys and --key: pass a file or keys, not both");
  LookupSource source;
  source.given = !options.keys.empty() || !options.inline_keys.empty();
  source.how = "--keys FILE, or --key K for single keys";
  if (!options.keys.empty()) source.files = {options.keys};
  source.load = [&](const LoadedColumn& column) {
    Lookups lookups;
    if (options.keys.empty()) {
      lookups.lower = inline_keys(options.inline_keys, "--key", column);
      lookups.lower_text = options.inline_keys;
    } else {
      lookups.lower = load(
          options.lookup_file(options.keys, options.keys_csv_column, "--keys-csv-column", column));
    }
    return lookups;
  };
  run_batch(options, source);
}

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
      A column of a CSV file, and a given index.)";

}  // namespace

void add_lookup(CLI::App& app) {
  auto options = std::make_shared<PointOptions>();
  CLI::App* verb = app.add_subcommand("lookup", "Find the rows that hold given keys.");
  options->add_input_to(*verb);
  add_file_option(*verb, "--keys", options->keys, "File with the keys to look up");
  verb->add_option("--key", options->inline_keys,
                   "A key to look up, instead of --keys; repeatable. Dates\n"
                   "and times as 2024-01-31 and 2024-01-31T12:30:05")
      ->type_name("K")
      ->group(input_group);
  verb->add_option("--keys-csv-column", options->keys_csv_column, "The same for --keys alone")
      ->type_name("NAME")
      ->group(csv_group);
  options->add_output_to(*verb);
  verb->footer(lookup_examples);
  verb->callback([options] { run(*options); });
}

}  // namespace rtindex::cli
