#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "cli/batch.hpp"

namespace rtindex::cli {

// Keys to look up: --keys FILE, or --key K on the command line.
struct KeyInput {
  std::vector<std::string> files, csv_columns, texts;

  void add_to(CLI::App& verb);
  // Throws unless exactly one of the two is set.
  void require_given() const;
  [[nodiscard]] bool has_value() const { return !files.empty() || !texts.empty(); }
  [[nodiscard]] LoadedQuery load(const BatchOptions& options, const LoadedColumn& column) const;
  // As the source of a batch of this kind.
  [[nodiscard]] LookupSource source(const BatchOptions& options) const;
};

// Ranges: --lower FILE and --upper FILE, one of which may be unset, or --range L:U. Or prefixes of
// strings: --starts-with TEXT.
struct RangeInput {
  std::vector<std::string> lower, upper;
  std::vector<std::string> lower_csv_columns, upper_csv_columns;
  std::vector<std::string> texts;
  std::vector<std::string> prefixes;

  void add_to(CLI::App& verb);
  void add_ranges_to(CLI::App& verb);  // without prefixes
  [[nodiscard]] bool has_value() const {
    return !lower.empty() || !upper.empty() || !texts.empty() || !prefixes.empty();
  }
  // Throws if prefixes are combined with ranges or --ends.
  void require_one_kind(const std::string& ends) const;
  [[nodiscard]] std::vector<std::string> files() const;
  // One batch for all ranges that have the same ends, in their order. `kind`: of queries with two
  // ends.
  [[nodiscard]] std::vector<LoadedQuery> load(const BatchOptions& options,
                                              const LoadedColumn& column,
                                              QueryKind kind = QueryKind::range) const;
};

// --ends of ranges.
void add_ends_option(CLI::App& verb, std::string& ends);

}  // namespace rtindex::cli
