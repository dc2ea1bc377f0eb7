#include "cli/key_input.hpp"

#include <utility>

#include "base/error.hpp"

namespace rtindex::cli {

namespace {

constexpr const char* key_options = "--keys FILE, or --key K for single keys";

// The ranges of the command line, batch by batch.
std::vector<LoadedQuery> inline_ranges(const std::vector<std::string>& texts, const Query& settings,
                                       const LoadedColumn& column) {
  const bool led = searches_intervals(settings.kind) && !column.parts().empty();
  struct Batch {
    std::vector<std::string> lower, upper;
    bool has_lower, has_upper;
  };
  std::vector<Batch> batches;
  for (const std::string& text : texts) {
    const RangeText range = led ? split_led_range(text, column) : split_range(text, column);
    const bool has_lower = !range.lower.empty();
    const bool has_upper = !range.upper.empty();
    // A range without ends is a batch of its own.
    if (batches.empty() || batches.back().has_lower != has_lower ||
        batches.back().has_upper != has_upper || (!has_lower && !has_upper))
      batches.push_back({{}, {}, has_lower, has_upper});
    batches.back().lower.push_back(range.lower);
    batches.back().upper.push_back(range.upper);
  }
  std::vector<LoadedQuery> lookups;
  for (const Batch& batch : batches) {
    LoadedQuery some{.settings = settings};
    some.has_lower = batch.has_lower;
    some.has_upper = batch.has_upper;
    if (batch.has_lower) some.lower = inline_keys(batch.lower, "--range", column);
    if (batch.has_upper) some.upper = inline_keys(batch.upper, "--range", column);
    some.lower_text = batch.lower;
    some.upper_text = batch.upper;
    lookups.push_back(std::move(some));
  }
  return lookups;
}

std::vector<LoadedQuery> inline_prefixes(const std::vector<std::string>& texts,
                                         const LoadedColumn& column) {
  if (column.type() != Type::string)
    fail("--starts-with needs a column of strings: {} holds {}", column.name(), column.type_text());
  std::vector<LoadedQuery> one(1);
  one.front().settings.kind = QueryKind::prefix;
  one.front().lower = inline_keys(texts, "--starts-with", column);
  one.front().lower_text = texts;
  return one;
}

}  // namespace

void KeyInput::add_to(CLI::App& verb) {
  add_files_option(verb, "--keys", files, "File with the keys to look up");
  verb.add_option("--key", texts,
                  "A key to look up, instead of --keys; repeatable. Dates\n"
                  "and times as 2024-01-31 and 2024-01-31T12:30:05;\n"
                  "composite keys as Oslo,2024-01-31, a part with a comma as\n"
                  "\"Rio, Sul\",2024-01-31")
      ->type_name("K")
      ->group(input_group);
  verb.add_option("--keys-csv-column", csv_columns, "Column of --keys, if it differs")
      ->type_name("NAME")
      ->group(csv_group);
}

void KeyInput::require_given() const {
  if (!has_value()) fail("missing lookups: pass {}", key_options);
  if (!files.empty() && !texts.empty())
    fail("conflicting --keys and --key: pass a file or keys, not both");
  if (files.empty() && !csv_columns.empty())
    fail("--keys-csv-column needs --keys FILE: remove it, or pass the file");
}

LoadedQuery KeyInput::load(const BatchOptions& options, const LoadedColumn& column) const {
  LoadedQuery lookups;
  if (files.empty()) {
    lookups.lower = inline_keys(texts, "--key", column);
    lookups.lower_text = texts;
  } else {
    lookups.lower = options.load_lookups(files, csv_columns, "--keys-csv-column", column);
    options.csv.require_columns("--keys-csv-column", csv_columns);
  }
  return lookups;
}

LookupSource KeyInput::source(const BatchOptions& options) const {
  if (has_value()) require_given();
  LookupSource source;
  source.has_value = has_value();
  source.how = key_options;
  source.files = files;
  source.load = [this, &options](const LoadedColumn& column) {
    std::vector<LoadedQuery> lookups;
    lookups.push_back(load(options, column));
    return lookups;
  };
  return source;
}

void RangeInput::add_to(CLI::App& verb) {
  add_ranges_to(verb);
  verb.add_option("--starts-with", prefixes,
                  "All strings that begin with a text, instead of ranges;\n"
                  "repeatable")
      ->type_name("TEXT")
      ->group(input_group);
}

void RangeInput::add_ranges_to(CLI::App& verb) {
  add_files_option(verb, "--lower", lower, "File with the lower bounds; unset: from the start");
  add_files_option(verb, "--upper", upper, "File with the upper bounds; unset: to the end");
  verb.add_option("--range", texts,
                  "A range, instead of the two files; repeatable. Either\n"
                  "bound may be missing: 10: or :19. Dates and times as\n"
                  "2024-01-31 and 2024-01-31T12:30:05")
      ->type_name("L:U")
      ->group(input_group);
  verb.add_option("--lower-csv-column", lower_csv_columns, "Column of --lower, if it differs")
      ->type_name("NAME")
      ->group(csv_group);
  verb.add_option("--upper-csv-column", upper_csv_columns, "Column of --upper, if it differs")
      ->type_name("NAME")
      ->group(csv_group);
}

void RangeInput::require_one_kind(const std::string& ends) const {
  if (prefixes.empty()) return;
  if (!files().empty() || !texts.empty())
    fail("conflicting --starts-with and ranges: pass one of them");
  if (ends != "[]")
    fail("--ends needs ranges: remove it, or pass ranges in place of --starts-with");
}

std::vector<std::string> RangeInput::files() const {
  std::vector<std::string> all = lower;
  all.insert(all.end(), upper.begin(), upper.end());
  return all;
}

std::vector<LoadedQuery> RangeInput::load(const BatchOptions& options, const LoadedColumn& column,
                                          QueryKind kind) const {
  if (lower.empty() && !lower_csv_columns.empty())
    fail("--lower-csv-column needs --lower FILE: remove it, or pass the file");
  if (upper.empty() && !upper_csv_columns.empty())
    fail("--upper-csv-column needs --upper FILE: remove it, or pass the file");
  if (!prefixes.empty()) return inline_prefixes(prefixes, column);
  if (!files().empty() && !texts.empty())
    fail("conflicting --range and --lower or --upper: pass files or ranges, not both");
  const Query settings{.kind = kind, .ends = ends_named(options.ends)};
  if (!texts.empty()) return inline_ranges(texts, settings, column);
  LoadedQuery lookups{.settings = settings};
  lookups.has_lower = !lower.empty();
  lookups.has_upper = !upper.empty();
  if (lookups.has_lower)
    lookups.lower = options.load_lookups(lower, lower_csv_columns, "--lower-csv-column", column);
  if (lookups.has_upper)
    lookups.upper = options.load_lookups(upper, upper_csv_columns, "--upper-csv-column", column);
  options.csv.require_columns("--lower-csv-column", lower_csv_columns);
  options.csv.require_columns("--upper-csv-column", upper_csv_columns);
  std::vector<LoadedQuery> one;
  one.push_back(std::move(lookups));
  return one;
}

void add_ends_option(CLI::App& verb, std::string& ends) {
  verb.add_option("--ends", ends,
                  "Which ends belong to ranges: \"[]\" (both), \"[)\", \"(]\" or\n"
                  "\"()\"")
      ->type_name("ENDS")
      ->group(input_group);
}

}  // namespace rtindex::cli
