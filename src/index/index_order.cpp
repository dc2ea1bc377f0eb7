#include <limits>
#include <utility>
#include <vector>

#include "base/call_control.hpp"
#include "base/error.hpp"
#include "base/types.hpp"
#include "index/index_state.hpp"

namespace rtindex {

namespace {

// Ranks as positions; null ranks become a position beyond the last.
[[nodiscard]] std::vector<std::uint64_t> positions_of(const ColumnView& ranks) {
  if (!is_integer(ranks.type()) || ranks.type() == Type::boolean)
    fail("expected ranks as integers, got {}", name_of(ranks.type()));
  std::vector<std::uint64_t> positions(ranks.size(), std::numeric_limits<std::uint64_t>::max());
  visit_native(ranks.type(), [&]<class T>() {
    if constexpr (std::is_integral_v<T>)
      for (std::size_t i = 0; i < ranks.size(); ++i) {
        const T rank = static_cast<const T*>(ranks.data())[i];
        if (ranks.valid(i) && std::cmp_greater_equal(rank, 0))
          positions[i] = static_cast<std::uint64_t>(rank);  // NOLINT(bugprone-signed-char-misuse)
      }
  });
  return positions;
}

}  // namespace

std::vector<std::uint32_t> Index::rank(const ColumnView& keys) const {
  return run_call("ranking keys", [&] {
    const Answers below =
        answer(Query::range({}, keys, Ends::right_open), {.answers = Answer::count});
    return std::vector<std::uint32_t>(below.count().begin(), below.count().end());
  });
}

std::vector<std::uint32_t> Index::select(const ColumnView& ranks) const {
  return run_call("selecting rows", [&] { return state_->select(ranks); });
}

std::vector<std::uint32_t> Index::null_rows() const {
  return run_call("listing rows", [&] { return state_->null_rows(); });
}

// Positions need one segment without deleted rows: others are merged for the call.
std::vector<std::uint32_t> Index::State::select(const ColumnView& ranks) const {
  if (ranks.memory_space() == MemorySpace::device)
    fail("the ranks are in device memory: copy them to host memory");
  const std::vector<std::uint64_t> positions = positions_of(ranks);
  const Reading now = read();
  if (now->main().codec->are_points())
    fail(ErrorKind::unsupported, "points have no key to rank them by: build an index over one");
  if (!now->main().searcher->capabilities().key_order)
    fail(ErrorKind::unsupported,
         "{} does not keep its keys in order and cannot select rows by rank: use rx, sorted or "
         "btree",
         spec.text());
  std::vector<std::uint32_t> rows(positions.size());
  threads->run([&] {
    const bool is_one = now->segments.size() == 1 && now->main().deleted == nullptr;
    const Segment all =
        is_one ? now->main() : engine.segments->merge(now->segments, now->rows(), true);
    all.searcher->select(*all.codec, positions, rows.data());
  });
  return rows;
}

std::vector<std::uint32_t> Index::State::null_rows() const {
  const Reading now = read();
  std::vector<std::uint32_t> rows;
  if (now->states.nulls == nullptr) return rows;
  rows.reserve(now->states.nulls->count());
  const Array<std::uint32_t> words = now->states.nulls->words();
  // Rows that were inserted later may lie beyond the bitmap.
  const RowBits nulls{words.data(), now->states.nulls->bits().rows};
  for (std::uint32_t row = 0; row < nulls.rows; ++row)
    if (nulls.has(row)) rows.push_back(row);
  return rows;
}

}  // namespace rtindex
