#include "support/dead_rows.hpp"

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
  static std::atomic<std::uint64_t> last = std::uint64_t{1} << 32;  // no RowMarks has it
  return ++last;
}

}  // namespace

DeadRows::DeadRows(const std::vector<std::uint32_t>& rows, std::size_t row_count)
    : DeadRows(flags_of(rows, row_count)) {}

DeadRows::DeadRows(std::vector<bool> is_dead)
    : is_dead_(std::move(is_dead)), words_(RowBits::words_of(is_dead_.size()), 0), id_(next_set()) {
  for (std::size_t row = 0; row < is_dead_.size(); ++row)
    if (is_dead_[row]) words_[row / RowBits::word_bits] |= 1U << (row % RowBits::word_bits);
}

RowBits DeadRows::bits() const {
  if (std::none_of(is_dead_.begin(), is_dead_.end(), [](bool dead) { return dead; })) return {};
  return {words_.data(), is_dead_.size(), id_};
}

const std::vector<std::string>& dead_row_names() {
  static const std::vector<std::string> names = {"none", "few",         "half",      "most",
                                                 "all",  "all_but_one", "first_half"};
  return names;
}

DeadRows dead_rows_named(const std::string& name, std::size_t row_count) {
  Random random(static_cast<std::uint64_t>(name.size()));
  std::vector<bool> is_dead(row_count);
  for (std::size_t row = 0; row < row_count; ++row)
    is_dead[row] = name == "few"           ? random.one_in(20)
                   : name == "half"        ? random.one_in(2)
                   : name == "most"        ? !random.one_in(100)
                   : name == "all"         ? true
                   : name == "all_but_one" ? row != row_count / 3
                   : name == "first_half"  ? row < row_count / 2
                                           : false;
  return DeadRows(std::move(is_dead));
}

Matches live_rows(const std::vector<Match>& found, const PositionRows& rows, const DeadRows& dead) {
  Matches live(found.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (std::uint64_t at = found[i].begin; at < found[i].end; ++at)
      if (!dead.has(rows[at])) live[i].push_back(rows[at]);
    std::sort(live[i].begin(), live[i].end());
  }
  return live;
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
