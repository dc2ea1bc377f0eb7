#include "support/deleted_rows.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "support/random.hpp"

namespace rtindex::test {

namespace {

std::vector<bool> flags_of(const std::vector<std::uint32_t>& rows, std::size_t row_count) {
  std::vector<bool> flags(row_count, false);
  for (const std::uint32_t row : rows) flags[row] = true;
  return flags;
}

std::uint64_t next_set() {
  static std::atomic<std::uint64_t> last = std::uint64_t{1} << 32;  // no RowBitmap has it
  return ++last;
}

}  // namespace

DeletedRows::DeletedRows(const std::vector<std::uint32_t>& rows, std::size_t row_count)
    : DeletedRows(flags_of(rows, row_count)) {}

DeletedRows::DeletedRows(std::vector<bool> is_deleted)
    : is_deleted_(std::move(is_deleted)),
      words_(RowBits::words_of(is_deleted_.size()), 0),
      id_(next_set()) {
  for (std::size_t row = 0; row < is_deleted_.size(); ++row)
    if (is_deleted_[row]) words_[row / RowBits::word_bits] |= 1U << (row % RowBits::word_bits);
}

RowBits DeletedRows::bits() const {
  if (std::none_of(is_deleted_.begin(), is_deleted_.end(), [](bool deleted) { return deleted; }))
    return {};
  return {words_.data(), is_deleted_.size(), id_};
}

const std::vector<std::string>& deleted_row_names() {
  static const std::vector<std::string> names = {"none", "few",         "half",      "most",
                                                 "all",  "all_but_one", "first_half"};
  return names;
}

DeletedRows deleted_rows_named(const std::string& name, std::size_t row_count) {
  Random random(static_cast<std::uint64_t>(name.size()));
  std::vector<bool> is_deleted(row_count);
  for (std::size_t row = 0; row < row_count; ++row)
    is_deleted[row] = name == "few"           ? random.one_in(20)
                      : name == "half"        ? random.one_in(2)
                      : name == "most"        ? !random.one_in(100)
                      : name == "all"         ? true
                      : name == "all_but_one" ? row != row_count / 3
                      : name == "first_half"  ? row < row_count / 2
                                              : false;
  return DeletedRows(std::move(is_deleted));
}

Matches valid_rows(const std::vector<Match>& found, const PositionRows& rows,
                   const DeletedRows& deleted) {
  Matches valid(found.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (std::uint64_t at = found[i].begin; at < found[i].end; ++at)
      if (!deleted.has(rows[at])) valid[i].push_back(rows[at]);
    std::sort(valid[i].begin(), valid[i].end());
  }
  return valid;
}

Batch batch_of(const std::vector<Match>& found) {
  std::vector<Whole> begins, ends;
  for (const Match& match : found) {
    begins.push_back(static_cast<Whole>(match.begin));
    ends.push_back(static_cast<Whole>(match.end));
  }
  return ranges(integers(Type::u64, begins), integers(Type::u64, ends));
}

}  // namespace rtindex::test
