#pragma once

#include <string>
#include <vector>

#include <rtindex/answer.hpp>

#include "cli/lookups.hpp"
#include "cli/table.hpp"

namespace rtindex::cli {

// The most lookups that are answered by a table.
inline constexpr std::size_t most_table_lookups = 1000;

// Answers of a few lookups for a person to read; `-` stands for "no match".
class AnswerTable {
 public:
  // `tick`: that of the values, where these are times; else empty.
  AnswerTable(AnswerSet answers, LookupKind kind, std::string tick);

  // The answers of the lookups from `first` on, with their matched bitmap.
  void append(const Lookups& lookups, std::size_t first, const Answers& answers);
  [[nodiscard]] std::string text() const { return table_.text(); }

 private:
  AnswerSet answers_;
  std::string tick_;
  Table table_;
};

}  // namespace rtindex::cli
