// The verbs about the order of a column: rank, select and nulls.

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "base/error.hpp"
#include "cli/answers.hpp"
#include "cli/batch.hpp"
#include "cli/key_input.hpp"
#include "cli/opened_index.hpp"
#include "cli/records.hpp"
#include "cli/verbs.hpp"
#include "column_files/npy_writer.hpp"

namespace rtindex::cli {

namespace {

constexpr const char* one_number_each =
    "Output: OUT.csv, OUT.jsonl (JSON lines), OUT.npy or -\n"
    "(standard output); without it, a table on stdout";

// Writes one number per lookup to -o as an array, or records.
class NumberOutput {
 public:
  NumberOutput(const BatchOptions& options, std::vector<std::string> inputs)
      : options_(options), format_(output_format(options.output, options.output_format)) {
    for (const std::string& input : options.input_files()) inputs.push_back(input);
    if (!options.output.empty()) require_output(options.output, inputs);
  }

  [[nodiscard]] OutputFormat format() const { return format_; }

  // `cells_of`: the record of lookup i.
  template <class CellsOf>
  void put(OpenedIndex& opened, std::span<const std::uint32_t> numbers,
           std::vector<std::string> header, CellsOf&& cells_of) const {
    std::FILE* const notes = options_.output == standard_stream ? stderr : stdout;
    require_short_table(format_, numbers.size());
    if (options_.describe)
      fmt::print(notes, "{}{}", opened.index->describe(), options_.output.empty() ? "\n" : "");
    if (format_ == OutputFormat::npy) {
      write_npy(options_.output, numbers);
    } else {
      RecordWriter writer(format_, options_.output, std::move(header));
      for (std::size_t i = 0; i < numbers.size(); ++i) writer.write(cells_of(i));
      writer.commit();
    }
    if (!options_.output.empty() && options_.output != standard_stream)
      opened.summary.files = {options_.output};
    opened.print_summary(options_);
  }

 private:
  const BatchOptions& options_;
  OutputFormat format_;
};

// The key of a row; a saved index has none to show.
Cell key_at(const OpenedIndex& opened, std::uint32_t row) {
  if (row == miss_row) return {};
  std::vector<Cell> cells;
  if (!opened.column.parts().empty()) return Cell::words(opened.column.text(row));
  append_cells(cells, opened.column, row);
  return cells.front();
}

struct RankOptions : BatchOptions {
  KeyInput keys;
};

void rank_keys(const RankOptions& options) {
  options.keys.require_given();
  const NumberOutput output(options, options.keys.files);
  OpenedIndex opened(options);
  opened.require_no_points();
  const LoadedQuery lookups = options.keys.load(options, opened.column);
  lookups.require_fit(opened.column);
  require_text_bounds(lookups.lower, opened.column);
  opened.build(options);
  const std::vector<std::uint32_t> ranks = opened.index->rank(lookups.lower.view());
  std::vector<std::string> header = lookup_names(lookups, output.format());
  header.emplace_back("rank");
  output.put(opened, ranks, std::move(header), [&](std::size_t i) {
    std::vector<Cell> cells = lookup_cells(lookups, i, output.format());
    cells.push_back(Cell::number(fmt::format("{}", ranks[i])));
    return cells;
  });
}

struct SelectOptions : BatchOptions {
  std::string ranks_file, ranks_csv_column;
  std::vector<std::int64_t> ranks;
  std::vector<double> quantiles;
};

// The ranks of quantiles: 0 is the first key, 1 the last, 0.5 the lower of two medians.
std::vector<std::int64_t> ranks_of(const std::vector<double>& quantiles, std::size_t valid) {
  std::vector<std::int64_t> ranks;
  for (const double quantile : quantiles) {
    if (!(quantile >= 0 && quantile <= 1)) fail("invalid --quantile {}: expected 0 to 1", quantile);
    const double last = valid == 0 ? 0 : static_cast<double>(valid - 1);
    ranks.push_back(static_cast<std::int64_t>(std::floor(quantile * last)));
  }
  return ranks;
}

void select_rows(const SelectOptions& options) {
  const int sources = static_cast<int>(!options.ranks_file.empty()) +
                      static_cast<int>(!options.ranks.empty()) +
                      static_cast<int>(!options.quantiles.empty());
  if (sources != 1) fail("pass one of --rank K, --ranks FILE and --quantile Q");
  if (options.ranks_file.empty() && !options.ranks_csv_column.empty())
    fail("--ranks-csv-column needs --ranks FILE: remove it, or pass the file");
  for (const std::int64_t rank : options.ranks)
    if (rank < 0) fail("invalid --rank {}: expected 0 or more", rank);
  const NumberOutput output(options, options.ranks_file.empty()
                                         ? std::vector<std::string>()
                                         : std::vector<std::string>{options.ranks_file});
  OpenedIndex opened(options);
  opened.require_no_points();
  require_order_of_values(opened.column);
  LoadedColumn from_file;
  if (!options.ranks_file.empty())
    from_file = options.read(options.lookup_file(options.ranks_file, options.ranks_csv_column,
                                                 "--ranks-csv-column",
                                                 LoadedColumn::indexed("", Type::u64, 0)));
  options.csv.require_columns("--ranks-csv-column", {options.ranks_csv_column});
  opened.build(options);
  std::vector<std::int64_t> ranks = options.ranks;
  if (!options.quantiles.empty()) ranks = ranks_of(options.quantiles, opened.index->valid());
  const ColumnView selected = options.ranks_file.empty() ? ColumnView(ranks) : from_file.view();
  const std::vector<std::uint32_t> rows = opened.index->select(selected);
  // A saved index finds the rows of keys, not the keys of rows.
  const bool has_keys = !opened.summary.loaded;
  std::vector<std::string> header = {options.quantiles.empty() ? "rank" : "quantile", "row"};
  if (has_keys) header.emplace_back("key");
  output.put(opened, rows, std::move(header), [&](std::size_t i) {
    Cell wanted;
    if (!options.quantiles.empty())
      wanted = Cell::number(fmt::format("{}", options.quantiles[i]));
    else if (selected.valid(i))
      wanted = Cell::number(selected.text(i));
    std::vector<Cell> cells = {std::move(wanted), Cell::row(rows[i])};
    if (has_keys) cells.push_back(key_at(opened, rows[i]));
    return cells;
  });
}

void list_nulls(const BatchOptions& options) {
  const NumberOutput output(options, {});
  OpenedIndex opened(options);
  opened.build(options);
  const std::vector<std::uint32_t> rows = opened.index->null_rows();
  output.put(opened, rows, {"row"},
             [&](std::size_t i) { return std::vector<Cell>{Cell::row(rows[i])}; });
}

constexpr const char* rank_examples =
    R"(The difference of two ranks is the number of keys in [lower, upper).

Examples:
  rtindex rank --column keys.npy --key 42
      How many keys are less than 42?
  rtindex rank --column price.npy --key 0 --key 10 --key 20 --key 30
      The bounds of a histogram.
  rtindex rank --load keys.rtindex --keys wanted.npy -o ranks.npy)";

constexpr const char* select_examples =
    R"(Rows are counted in the order of their keys, rows of equal keys by rowID. A rank
beyond the last has no row; files hold 4294967295 for it. A saved index does not
list the keys of the rows; a column file does.

Examples:
  rtindex select --column price.npy --quantile 0.25 --quantile 0.5 --quantile 0.75
      The quartiles, with their rows.
  rtindex select --column price.npy --rank 0 --rank 1 --rank 2
      The rows of the three smallest keys.
  rtindex select --load price.rtindex --ranks ranks.npy -o rows.npy)";

constexpr const char* nulls_examples = R"(Examples:
  rtindex nulls --column people.csv --csv-column city
      Which rows have no city?
  rtindex nulls --load city.rtindex -o rows.npy)";

}  // namespace

void add_rank(CLI::App& app) {
  auto options = std::make_shared<RankOptions>();
  CLI::App* verb = app.add_subcommand("rank", "Count the keys that are less than a key.");
  options->add_saved_to(*verb);
  options->keys.add_to(*verb);
  options->add_index_to(*verb);
  options->add_files_to(*verb, one_number_each);
  verb->footer(rank_examples);
  verb->callback([options] { rank_keys(*options); });
}

void add_select(CLI::App& app) {
  auto options = std::make_shared<SelectOptions>();
  CLI::App* verb = app.add_subcommand("select", "Find the rows at positions in key order.");
  options->add_saved_to(*verb);
  verb->add_option("--rank", options->ranks, "A position, from 0 on; repeatable")
      ->type_name("K")
      ->group(input_group);
  add_file_option(*verb, "--ranks", options->ranks_file, "File with positions, instead of --rank");
  verb->add_option("--quantile", options->quantiles,
                   "A share of the keys, from 0 to 1, instead of --rank;\nrepeatable")
      ->type_name("Q")
      ->group(input_group);
  verb->add_option("--ranks-csv-column", options->ranks_csv_column,
                   "Column of --ranks, if it differs")
      ->type_name("NAME")
      ->group(csv_group);
  options->add_index_to(*verb);
  options->add_files_to(*verb, one_number_each);
  verb->footer(select_examples);
  verb->callback([options] { select_rows(*options); });
}

void add_nulls(CLI::App& app) {
  auto options = std::make_shared<BatchOptions>();
  CLI::App* verb = app.add_subcommand("nulls", "List the rows whose key is null.");
  options->add_saved_to(*verb);
  options->add_index_to(*verb);
  options->add_files_to(*verb, one_number_each);
  verb->footer(nulls_examples);
  verb->callback([options] { list_nulls(*options); });
}

}  // namespace rtindex::cli
