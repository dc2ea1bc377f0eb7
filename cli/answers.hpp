#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <rtindex/answer.hpp>

#include "base/array.hpp"
#include "cli/loaded_query.hpp"
#include "cli/records.hpp"
#include "column_files/npy_writer.hpp"

namespace rtindex::cli {

// The units of answers that are times, as NumPy writes them ("us"); empty for all others.
struct AnswerTicks {
  std::string values;                  // of min and max
  std::string keys;                    // of neighbours
  std::vector<std::string> key_parts;  // of composite neighbours
};

// The rows that match any lookup of several batches.
class RowMask {
 public:
  void add(const BitmapView& matching);
  [[nodiscard]] Array<bool> rows() const;

 private:
  std::vector<std::uint8_t> bits_;
  std::size_t rows_ = 0;
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
  void append_mask(const RowMask& mask);
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

// Answers as records: the cells of each lookup, then one for each answer.
class AnswerRecords {
 public:
  AnswerRecords(AnswerSet answers, RowOrder order, AnswerTicks ticks)
      : answers_(answers), order_(order), ticks_(std::move(ticks)) {}

  // In a table the parts of a composite key share a column.
  [[nodiscard]] std::vector<std::string> header(const LoadedQuery& lookups,
                                                OutputFormat format) const;
  // The answers of the lookups from `first` on, with their matched bitmap.
  void write(RecordWriter& out, const LoadedQuery& lookups, std::size_t first,
             const Answers& answers, OutputFormat format) const;

 private:
  [[nodiscard]] Cell cell(const Answers& answers, Answer answer, std::size_t i) const;

  AnswerSet answers_;
  RowOrder order_;
  AnswerTicks ticks_;
};

// The cells of lookup i, and their names.
[[nodiscard]] std::vector<Cell> lookup_cells(const LoadedQuery& lookups, std::size_t i,
                                             OutputFormat format);
[[nodiscard]] std::vector<std::string> lookup_names(const LoadedQuery& lookups,
                                                    OutputFormat format);

}  // namespace rtindex::cli
