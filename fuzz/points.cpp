// Sequences of calls on a column of points, compared with a full scan: boxes of ranges, of values
// and of nulls, changes valid and invalid, merges, save and load.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "fuzz/support/input.hpp"

namespace rtindex {

namespace {

constexpr std::array specs = {"rx:native@cpu", "rx:native@cpu,delta=0", "rx:native@cpu,delta=8"};

// A number and a text, each of which may be null.
struct PointRow {
  std::optional<std::int16_t> number;
  std::optional<std::string> text;
  bool erased = false;
};

// Owns the columns of some rows.
class PointColumns {
 public:
  explicit PointColumns(const std::vector<PointRow>& rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      numbers_.push_back(rows[i].number.value_or(0));
      texts_.push_back(rows[i].text.value_or(""));
      if (i % 8 == 0) number_bits_.push_back(0), text_bits_.push_back(0);
      const unsigned bit = 1U << (i % 8);
      if (rows[i].number)
        number_bits_.back() = static_cast<std::uint8_t>(number_bits_.back() | bit);
      if (rows[i].text) text_bits_.back() = static_cast<std::uint8_t>(text_bits_.back() | bit);
    }
  }
  [[nodiscard]] ColumnView view() const {
    return ColumnView::points({ColumnView(numbers_).with_validity(number_bits_.data()),
                               ColumnView(texts_).with_validity(text_bits_.data())});
  }

 private:
  std::vector<std::int16_t> numbers_;
  std::vector<std::string> texts_;
  std::vector<std::uint8_t> number_bits_ = {}, text_bits_ = {};
};

class PointSession {
 public:
  PointSession(fuzz::Input& input, const std::string& spec)
      : input_(input), rows_(new_rows(40)), index_(build(PointColumns(rows_).view(), spec)) {}

  void run() {
    for (int calls = 0; calls < 16 && !input_.at_end(); ++calls) call();
  }

 private:
  void call() {
    switch (input_.below(8)) {
      case 0: return insert();
      case 1: return erase();
      case 2: return update();
      case 3: return index_.merge();
      case 4: index_ = deserialize(index_.serialize()); return;
      case 5: return rejected();
      default: return query();
    }
  }

  [[nodiscard]] std::int16_t number() {
    return input_.flag() ? static_cast<std::int16_t>(input_.below(16))
                         : input_.read<std::int16_t>();
  }
  [[nodiscard]] std::string text() {
    return input_.flag() ? std::string(1, static_cast<char>('a' + input_.below(4)))
                         : input_.text(input_.below(12));
  }
  [[nodiscard]] std::vector<PointRow> new_rows(std::size_t most) {
    std::vector<PointRow> rows(input_.below(most));
    for (PointRow& row : rows) {
      if (input_.below(8) != 0) row.number = number();
      if (input_.below(8) != 0) row.text = text();
    }
    return rows;
  }
  [[nodiscard]] std::vector<std::uint32_t> valid_rows(std::size_t most) {
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 0; row < rows_.size(); ++row)
      if (!rows_[row].erased && input_.below(4) == 0 && rows.size() < most) rows.push_back(row);
    return rows;
  }

  void insert() {
    const std::vector<PointRow> added = new_rows(8);
    index_.insert(PointColumns(added).view());
    rows_.insert(rows_.end(), added.begin(), added.end());
  }
  void erase() {
    const std::vector<std::uint32_t> rows = valid_rows(8);
    index_.erase(rows);
    for (const std::uint32_t row : rows) rows_[row].erased = true;
  }
  void update() {
    const std::vector<PointRow> changed = new_rows(8);
    const std::vector<std::uint32_t> rows = valid_rows(changed.size());
    const std::vector<PointRow> used(changed.begin(),
                                     changed.begin() + static_cast<std::ptrdiff_t>(rows.size()));
    index_.update(rows, PointColumns(used).view());
    for (std::size_t i = 0; i < rows.size(); ++i) rows_[rows[i]] = used[i];
  }
  // A row that does not exist: an Error, and nothing changes.
  void rejected() {
    const std::vector<std::uint32_t> rows = {
        static_cast<std::uint32_t>(rows_.size() + input_.below(9))};
    const std::vector<std::byte> before = index_.serialize();
    bool is_rejected = false;
    try {
      index_.erase(rows);
    } catch (const Error&) {
      is_rejected = true;
    }
    fuzz::require(is_rejected, "a row that does not exist was erased");
    fuzz::require(index_.serialize() == before, "an erase that failed has changed the index");
  }

  void query() {
    const std::vector<std::int16_t> lower = {number()};
    const std::vector<std::int16_t> upper = {number()};
    const std::vector<std::string> texts = {text(), text()};
    const std::size_t of_number = input_.below(3);
    const std::size_t of_text = input_.below(3);
    std::vector<Condition> conditions(2);
    if (of_number == 1) conditions[0] = Condition::range(lower, upper);
    if (of_number == 2) conditions[0] = Condition::is_null();
    if (of_text == 1) conditions[1] = Condition::isin(texts);
    if (of_text == 2) conditions[1] = Condition::is_null();
    std::vector<std::uint32_t> wanted;
    for (std::uint32_t row = 0; row < rows_.size(); ++row) {
      const PointRow& one = rows_[row];
      const bool number_fits =
          of_number == 0 || (of_number == 2 && !one.number) ||
          (of_number == 1 && one.number && *one.number >= lower[0] && *one.number <= upper[0]);
      const bool text_fits =
          of_text == 0 || (of_text == 2 && !one.text) ||
          (of_text == 1 && one.text && (*one.text == texts[0] || *one.text == texts[1]));
      if (!one.erased && number_fits && text_fits) wanted.push_back(row);
    }
    const Answers found =
        index_.answer(Query::box(conditions), {.answers = Answer::rows | Answer::count});
    std::vector<std::uint32_t> rows(found.rows().begin(), found.rows().end());
    std::sort(rows.begin(), rows.end());
    fuzz::require(rows == wanted && found.count()[0] == wanted.size(),
                  fmt::format("{} rows in place of {}", rows.size(), wanted.size()));
  }

  fuzz::Input& input_;
  std::vector<PointRow> rows_;
  Index index_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  PointSession(input, input.pick(specs)).run();
  return 0;
}

}  // namespace rtindex
