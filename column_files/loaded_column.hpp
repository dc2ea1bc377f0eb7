#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <rtindex/column.hpp>

#include "base/array.hpp"
#include "column_files/file_bytes.hpp"

namespace rtindex {

// A column of text in a file: its name, one of its fields, and the point of its numbers.
struct InferredText {
  std::string column, sample;
  char decimal = '.';
  bool saved = false;  // an index was built of it
};

// A column read from a file or from text, with the memory that it owns.
class LoadedColumn {
 public:
  LoadedColumn() = default;
  // Contiguous elements in a file, from `offset` to its end. `width`: bytes of one element. Throws
  // unless the file holds exactly `size` of them.
  static LoadedColumn in_file(FileBytes file, std::size_t offset, Type type, std::size_t width,
                              std::uint64_t size);
  // Elements of a native type. `name`: the column's name in messages.
  static LoadedColumn numbers(std::string name, Type type, RawMemory elements, std::size_t size);
  // String i is bytes[offsets[i] .. offsets[i + 1]).
  static LoadedColumn strings(std::string name, std::vector<char> bytes,
                              std::vector<std::int64_t> offsets);

  // Several columns of one length as one column of tuples.
  static LoadedColumn composite(std::vector<LoadedColumn> parts);

  // Intervals: `parts` are leading columns, if any, then the starts and the ends.
  static LoadedColumn intervals(std::vector<LoadedColumn> parts, Ends ends);

  // Points of several columns, which have names.
  static LoadedColumn points_of(std::vector<LoadedColumn> columns, std::vector<std::string> names);

  // The column of a saved index: name, type and size, without elements to view.
  static LoadedColumn indexed(std::string name, Type type, std::size_t size);

  // Arrow's bitmap, least significant bit first: a clear bit is a null.
  void set_validity(std::vector<std::uint8_t> bitmap) { validity_ = std::move(bitmap); }
  [[nodiscard]] const std::vector<std::uint8_t>& validity() const { return validity_; }
  // NumPy's name for the tick of a timestamp: "D", "us", "25s".
  void set_unit(std::string unit) { unit_ = std::move(unit); }

  // Of strings that were not asked for: no other type fits all fields.
  void set_inferred_text(std::optional<InferredText> text) { inferred_text_ = std::move(text); }
  [[nodiscard]] const std::optional<InferredText>& inferred_text() const { return inferred_text_; }

  // A note for the summary; empty: none.
  void set_remark(std::string remark) { remark_ = std::move(remark); }

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& remark() const { return remark_; }
  [[nodiscard]] Type type() const { return type_; }
  [[nodiscard]] const std::string& unit() const { return unit_; }
  // Whether it holds dates or timestamps, and their unit; empty: unknown.
  [[nodiscard]] bool is_time() const { return type_ == Type::date32 || type_ == Type::timestamp64; }
  [[nodiscard]] std::string tick() const { return type_ == Type::date32 ? "D" : unit_; }
  // The columns of a composite column; empty for any other.
  [[nodiscard]] const std::vector<LoadedColumn>& parts() const { return parts_; }
  [[nodiscard]] bool are_points() const { return are_points_; }
  // The names of the columns of points.
  [[nodiscard]] const std::vector<std::string>& part_names() const { return part_names_; }
  [[nodiscard]] std::optional<Ends> interval_ends() const { return interval_ends_; }
  // What queries of intervals are compared with: leading columns and starts, without elements.
  [[nodiscard]] LoadedColumn points() const;
  // "uint32", "timestamp64[us]", "(string, uint32)", "intervals [) of uint32".
  [[nodiscard]] std::string type_text() const;
  [[nodiscard]] std::size_t size() const { return size_; }
  // Whether the elements are viewed in the mapped file, without a copy.
  [[nodiscard]] bool is_mapped() const { return file_.is_mapped(); }

  // An element as text: for messages, and without the quotes of strings.
  [[nodiscard]] std::string text(std::size_t row) const;
  [[nodiscard]] std::string plain_text(std::size_t row) const;

  // Both are valid while this column lives, even after it was moved.
  [[nodiscard]] ColumnView view() const { return slice(0, size_); }
  [[nodiscard]] ColumnView slice(std::size_t first, std::size_t count) const;

 private:
  [[nodiscard]] std::string tuple_of(
      const std::function<std::string(const LoadedColumn&)>& text) const;

  std::string name_;
  Type type_ = Type::u64;
  std::string unit_;
  std::string remark_;
  std::optional<InferredText> inferred_text_;
  std::size_t size_ = 0;
  std::size_t width_ = 0;
  const char* elements_ = nullptr;  // into file_, memory_ or bytes_
  FileBytes file_;
  RawMemory memory_;
  std::vector<char> bytes_;
  std::vector<std::int64_t> offsets_;
  std::vector<std::uint8_t> validity_;
  std::vector<LoadedColumn> parts_;
  std::vector<std::string> part_names_;
  std::optional<Ends> interval_ends_;
  bool are_points_ = false;
};

}  // namespace rtindex
