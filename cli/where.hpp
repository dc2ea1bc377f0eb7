#pragma once

#include <string>
#include <vector>

#include "cli/batch.hpp"
#include "cli/csv_options.hpp"
#include "cli/loaded_query.hpp"

namespace rtindex::cli {

// The conditions --where of a verb over points.
class WhereOptions {
 public:
  void add_to(CLI::App& verb, const std::string& group);
  [[nodiscard]] bool has_value() const { return !texts_.empty(); }

  // Makes `options` load all columns with conditions, and those of --csv-column, as points.
  void add_columns_to(BatchOptions& options) const;
  // All conditions as one query of these points. `csv`: how numbers are written in their file.
  [[nodiscard]] LoadedQuery query(const LoadedColumn& points, Ends ends,
                                  const CsvOptions& csv) const;

 private:
  std::vector<std::string> texts_;
};

}  // namespace rtindex::cli
