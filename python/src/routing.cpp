#include "routing.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "base/types.hpp"
#include "keys/ordered_bits.hpp"

namespace rtindex::python {

namespace {

constexpr std::size_t grain = std::size_t{1} << 16;
constexpr std::size_t chunk = 1024;  // keys whose parts are found in step
constexpr std::size_t few = 8;       // bounds that every key is compared with

// Calls visitor.template operator()<T>() with an unsigned integer of that many bytes.
template <class Visitor>
void visit_width(std::size_t width, Visitor&& visitor) {
  switch (width) {
    case 1: return visitor.template operator()<std::uint8_t>();
    case 2: return visitor.template operator()<std::uint16_t>();
    case 4: return visitor.template operator()<std::uint32_t>();
    default: return visitor.template operator()<std::uint64_t>();
  }
}

// An answer in the width of the output; a miss stays all ones.
template <class To, class From>
To widened(From answer, bool rows) {
  if constexpr (sizeof(To) > sizeof(From))
    if (rows && answer == std::numeric_limits<From>::max()) return std::numeric_limits<To>::max();
  return static_cast<To>(answer);
}

// Where the elements of every part begin in each block: a block for each thread, but not more
// counters than elements.
struct Blocks {
  Blocks(std::span<const std::uint16_t> parts, std::size_t part_count) : count(part_count) {
    const auto threads = static_cast<std::size_t>(parallel_threads());
    size = std::max({grain, count, (parts.size() + threads - 1) / threads});
    const std::size_t blocks = (parts.size() + size - 1) / size;
    offsets.assign(blocks * count, 0);
    parallel_for(parts.size(), size, [&](std::size_t first, std::size_t some) {
      std::uint64_t* const counts = of(first);
      for (std::size_t i = first; i < first + some; ++i) ++counts[parts[i]];
    });
    starts.reserve(count + 1);
    std::uint64_t next = 0;
    for (std::size_t part = 0; part < count; ++part) {
      starts.push_back(next);
      for (std::size_t i = 0; i < blocks; ++i)
        next += std::exchange(offsets[i * count + part], next);
    }
    starts.push_back(next);
  }

  // The offsets of the block that begins at `first`.
  [[nodiscard]] std::uint64_t* of(std::size_t first) { return &offsets[first / size * count]; }

  std::size_t count, size = 0;
  std::vector<std::uint64_t> offsets, starts;
};

}  // namespace

PartBounds::PartBounds(const ColumnView& keys, std::span<const std::uint64_t> rows)
    : ends_(1, 0), rows_(rows.begin(), rows.end()) {
  std::vector<std::uint64_t> ordered(keys.size());
  visit_native(keys.type(), [&]<class T>() {
    const auto* const elements = static_cast<const T*>(keys.data());
    for (std::size_t i = 0; i < ordered.size(); ++i)
      ordered[i] = ordered_bits(value_of(elements[i]));
  });
  lowest_ = ordered.front();
  span_ = ordered.back() - lowest_;
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    if (i + 1 < ordered.size() && ordered[i + 1] == ordered[i]) continue;
    firsts_.push_back(ordered[i] - lowest_);
    ends_.push_back(static_cast<std::uint16_t>(i + 1));
  }
  root_ = make_root(firsts_, span_, PieceSearch::in_step);
}

// How many bounds are not after some keys. All keys take the same steps, without branches.
void PartBounds::count_not_after(const std::uint64_t* ordered, std::size_t count,
                                 std::uint32_t* found, std::uint16_t* parts) const {
  const std::uint64_t* const firsts = firsts_.data();
  const std::uint16_t* const ends = ends_.data();
  const std::size_t bounds = firsts_.size();
  if (bounds <= few) {
    std::fill_n(found, count, 0U);
    for (std::size_t bound = 0; bound < bounds; ++bound) {
      const std::uint64_t first = firsts[bound] + lowest_;
      for (std::size_t i = 0; i < count; ++i) found[i] += ordered[i] >= first ? 1U : 0U;
    }
  } else {
    std::uint64_t offsets[chunk];  // from the lowest bound
    const std::uint64_t lowest = lowest_;
    const std::uint64_t span = span_;
    for (std::size_t i = 0; i < count; ++i)
      offsets[i] = ordered[i] < lowest ? 0 : std::min(ordered[i] - lowest, span);
    const PieceRoot root = root_.root;
    const std::uint32_t* const table = root_.table.data();
    if (root.has_table)
      for (std::size_t i = 0; i < count; ++i) found[i] = table[root.slot(offsets[i])];
    else
      std::fill_n(found, count, 0U);
    step_to_pieces(
        root.steps, root.last, offsets, count, [&](std::uint32_t part) { return firsts[part]; },
        found);
    for (std::size_t i = 0; i < count; ++i) found[i] = ordered[i] < lowest ? 0 : found[i] + 1;
  }
  for (std::size_t i = 0; i < count; ++i) parts[i] = ends[found[i]];
}

// Among rows that hold the key of a bound, the rows of bounds decide.
void PartBounds::break_ties(const std::uint64_t* ordered, std::size_t count,
                            std::uint64_t first_row, const std::uint32_t* found,
                            std::uint16_t* parts) const {
  for (std::size_t i = 0; i < count; ++i) {
    if (found[i] == 0 || ordered[i] - lowest_ != firsts_[found[i] - 1]) continue;
    const auto first = rows_.begin() + ends_[found[i] - 1];
    const auto end = rows_.begin() + ends_[found[i]];
    parts[i] =
        static_cast<std::uint16_t>(std::upper_bound(first, end, first_row + i) - rows_.begin());
  }
}

template <class T>
void PartBounds::find_some(const T* keys, std::size_t count, std::uint64_t first_row,
                           std::uint16_t* parts) const {
  std::uint64_t ordered[chunk];
  std::uint32_t found[chunk];  // how many different bounds are not after the key
  for (std::size_t begin = 0; begin < count; begin += chunk) {
    const std::size_t some = std::min(chunk, count - begin);
    for (std::size_t i = 0; i < some; ++i) ordered[i] = ordered_bits(value_of(keys[begin + i]));
    count_not_after(ordered, some, found, parts + begin);
    if (!rows_.empty()) break_ties(ordered, some, first_row + begin, found, parts + begin);
  }
}

void PartBounds::find(const ColumnView& keys, std::uint64_t first_row, std::uint16_t* parts) const {
  visit_native(keys.type(), [&]<class T>() {
    const auto* const elements = static_cast<const T*>(keys.data());
    parallel_for(keys.size(), grain, [&](std::size_t first, std::size_t count) {
      find_some(elements + first, count, first_row + first, parts + first);
    });
  });
}

void group_by_part(std::span<const std::uint16_t> parts, Elements from, Elements to,
                   std::uint32_t* positions, std::span<std::uint64_t> starts) {
  Blocks blocks(parts, starts.size() - 1);
  std::copy(blocks.starts.begin(), blocks.starts.end(), starts.begin());
  visit_width(from.width, [&]<class T>() {
    const auto* const source = static_cast<const T*>(from.data);
    auto* const out = static_cast<T*>(to.data);
    parallel_for(parts.size(), blocks.size, [&](std::size_t first, std::size_t some) {
      std::uint64_t* const offset = blocks.of(first);
      for (std::size_t i = first; i < first + some; ++i) {
        const std::uint64_t place = offset[parts[i]]++;
        if (source != nullptr) out[place] = source[i];
        if (positions != nullptr) positions[place] = static_cast<std::uint32_t>(i);
      }
    });
  });
}

void ungroup(std::span<const std::uint16_t> parts, std::span<const Piece> pieces, Elements to,
             bool rows) {
  std::size_t count = 0;
  for (const Piece& piece : pieces) count += piece.parts;
  Blocks blocks(parts, count);
  const auto write_from = [&]<class To, class From>(To* out, From) {
    parallel_for(parts.size(), blocks.size, [&](std::size_t first, std::size_t some) {
      const std::uint64_t* const offset = blocks.of(first);
      std::vector<const From*> next(count);
      std::size_t part = 0;
      for (const Piece& piece : pieces) {
        const std::uint64_t start = blocks.starts[part];
        for (const std::size_t end = part + piece.parts; part < end; ++part)
          next[part] = static_cast<const From*>(piece.elements.data) + (offset[part] - start);
      }
      for (std::size_t i = first; i < first + some; ++i)
        out[i] = widened<To>(*next[parts[i]]++, rows);
    });
  };
  std::size_t part = 0;
  for (const Piece& piece : pieces) {
    const std::uint64_t wanted = blocks.starts[part + piece.parts] - blocks.starts[part];
    if (piece.size != wanted) fail("expected {} elements in a piece, got {}", wanted, piece.size);
    part += piece.parts;
  }
  const bool wider = !pieces.empty() && pieces.front().elements.width < to.width;
  visit_width(to.width, [&]<class To>() {
    auto* const out = static_cast<To*>(to.data);
    if (wider)
      write_from(out, std::uint32_t{});
    else
      write_from(out, To{});
  });
}

void widen_rows(std::span<const std::uint32_t> from, std::uint64_t* to) {
  parallel_for(from.size(), grain, [&](std::size_t first, std::size_t some) {
    for (std::size_t i = first; i < first + some; ++i)
      to[i] = widened<std::uint64_t>(from[i], true);
  });
}

void global_rows(std::span<const std::uint32_t> local, Elements rows, Elements to) {
  constexpr std::uint32_t miss = std::numeric_limits<std::uint32_t>::max();
  visit_width(rows.width, [&]<class Row>() {
    const auto* const source = static_cast<const Row*>(rows.data);
    auto* const out = static_cast<Row*>(to.data);
    parallel_for(local.size(), grain, [&](std::size_t first, std::size_t some) {
      for (std::size_t i = first; i < first + some; ++i)
        out[i] = local[i] == miss ? std::numeric_limits<Row>::max() : source[local[i]];
    });
  });
}

}  // namespace rtindex::python
