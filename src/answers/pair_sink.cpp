#include "answers/pair_sink.hpp"

#include <algorithm>
#include <utility>

#include "base/parallel.hpp"

namespace rtindex {

void PairSink::append(const std::uint64_t* lookups, const std::uint32_t* rows, std::size_t count) {
  const std::uint64_t first = size_.fetch_add(count, std::memory_order_relaxed);
  const std::size_t fits =
      first >= capacity_ ? 0 : std::min<std::uint64_t>(count, capacity_ - first);
  if (fits != 0) std::copy_n(lookups, fits, lookups_ + first);
  if (fits != 0 && has_rows_) std::copy_n(rows, fits, rows_ + first);
  if (fits == count || !keeps_rest_) return;
  Piece rest{first + fits, {lookups + fits, lookups + count}, {}};
  if (has_rows_) rest.rows.assign(rows + fits, rows + count);
  const std::lock_guard lock(rest_mutex_);
  rest_.push_back(std::move(rest));
}

void PairSink::copy_rest(std::uint64_t* lookups, std::uint32_t* rows) const {
  parallel_for(rest_.size(), 16, [&](std::size_t begin, std::size_t count) {
    for (std::size_t i = begin; i < begin + count; ++i) {
      const Piece& rest = rest_[i];
      std::copy(rest.lookups.begin(), rest.lookups.end(), lookups + rest.first);
      if (has_rows_) std::copy(rest.rows.begin(), rest.rows.end(), rows + rest.first);
    }
  });
}

}  // namespace rtindex
