#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <rtindex/answer.hpp>

#include "cli/loaded_query.hpp"
#include "cli/table.hpp"
#include "column_files/npy_writer.hpp"

namespace rtindex::cli {

// Throws if an output file does not end in .npy, cannot be written or is one of `inputs`.
void require_output_file(const std::string& path, std::string_view option,
                         const std::vector<std::string>& inputs);

// The units of answers that are times, as NumPy writes them ("us"); empty for all others.
struct AnswerTicks {
  std::string values;  // of min and max
  std::string keys;    // of neighbours
};

// The .npy files of the answers, filled slice by slice. They appear together on `commit`.
class AnswerFiles {
 public:
  // `output` or `matched` may be empty: none. Files that cannot be written, duplicates and files of
  // `inputs` are an Error.
  AnswerFiles(AnswerSet answers, const std::string& output, const std::string& matched,
              const std::vector<std::string>& inputs);

  void set_ticks(AnswerTicks ticks) { ticks_ = std::move(ticks); }
  void append(const Answers& answers);
  void commit();
  [[nodiscard]] std::vector<std::string> paths() const;

 private:
  template <class T>
  void append_to(const std::string& part, std::span<const T> elements,
                 std::string_view descr = npy_descr<T>());
  void append_values(const std::string& part, const Aggregates& values);
  // A miss is NaT, NaN, or 0 if the type has neither.
  void append_keys(const ColumnView& keys);
  void append_rows(const Answers& answers);
  void append_matched(const Answers& answers);

  AnswerSet answers_;
  AnswerTicks ticks_;
  std::map<std::string, std::string> paths_;  // by part: "sum", "offsets", "matched", ...
  std::map<std::string, NpyWriter> writers_;
  std::uint64_t rows_ = 0;
  bool first_batch_ = true;
};

// Larger batches need -o.
inline constexpr std::size_t max_table_lookups = 1000;

// The answers of a few lookups as a table; `-` is a miss.
class AnswerTable {
 public:
  AnswerTable(AnswerSet answers, QueryKind kind, RowOrder order, AnswerTicks ticks);

  // The answers of the lookups from `first` on, with their matched bitmap.
  void append(const LoadedQuery& lookups, std::size_t first, const Answers& answers);
  [[nodiscard]] std::string text() const { return table_.text(); }

 private:
  [[nodiscard]] std::string answer_text(const Answers& answers, Answer answer, std::size_t i) const;

  AnswerSet answers_;
  RowOrder order_;
  AnswerTicks ticks_;
  Table table_;
};

}  // namespace rtindex::cli
