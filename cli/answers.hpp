#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include <rtindex/answer.hpp>

#include "cli/lookups.hpp"
#include "cli/table.hpp"
#include "io/npy_writer.hpp"

namespace rtindex::cli {

// The .npy files of the answers, filled slice by slice. They appear together on `commit`.
class AnswerFiles {
 public:
  // `output` or `matched` may be empty: none. Files that cannot be written, duplicates and files of
  // `inputs` are an Error.
  AnswerFiles(AnswerSet answers, const std::string& output, const std::string& matched,
              const std::vector<std::string>& inputs);

  // The unit of min and max over times, as NumPy writes it ("us").
  void set_tick(std::string tick) { tick_ = std::move(tick); }
  void append(const Answers& answers);
  void commit();
  [[nodiscard]] std::vector<std::string> paths() const;

 private:
  template <class T>
  void append_to(const std::string& part, std::span<const T> elements,
                 std::string_view descr = npy_descr<T>());
  void append_values(const std::string& part, const Aggregates& values);
  void append_rows(const Answers& answers);
  void append_matched(const Answers& answers);

  AnswerSet answers_;
  std::string tick_;
  std::map<std::string, std::string> paths_;  // by part: "sum", "offsets", "matched", ...
  std::map<std::string, NpyWriter> writers_;
  std::uint64_t rows_ = 0;
  bool first_batch_ = true;
};

// Larger batches need -o.
inline constexpr std::size_t most_table_lookups = 1000;

// The answers of a few lookups as a table; `-` is a miss.
class AnswerTable {
 public:
  // `tick`: the unit of the values if they are times; empty otherwise.
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
