#include "order/key_model.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "base/parallel.hpp"
#include "order/pairs.hpp"

namespace rtindex {

namespace {

constexpr std::uint64_t greatest_key = std::numeric_limits<std::uint64_t>::max();

[[nodiscard]] std::uint64_t behind(std::uint64_t key) {
  return key == greatest_key ? key : key + 1;
}

// A table must save this many steps to be faster.
constexpr std::uint32_t table_steps = 3;
// More pieces do not fit the first-level cache of a GPU.
constexpr std::uint32_t max_near_pieces = 64;

}  // namespace

std::vector<KeyPiece> join_stretches(std::span<const KeyStretch> stretches, std::uint32_t size,
                                     std::uint64_t last_key, std::uint64_t span,
                                     const JoinLimits& limits) {
  std::vector<KeyStretch> joined;
  StretchJoiner joiner(limits, [&](const KeyStretch& stretch) { joined.push_back(stretch); });
  const std::uint64_t end_key = behind(last_key);
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    const bool is_last = i + 1 == stretches.size();
    joiner.add(stretches[i], is_last ? end_key : stretches[i + 1].first,
               is_last ? size : stretches[i + 1].begin);
  }
  // Lookups may be above the last key.
  if (stretches.empty() || (span > last_key && end_key > last_key))
    joiner.add({stretches.empty() ? 0 : end_key, size, 0, 0, 0}, behind(span), size);
  joiner.finish();

  std::vector<KeyPiece> pieces;
  pieces.reserve(joined.size());
  for (std::size_t i = 0; i < joined.size(); ++i) {
    const bool is_last = i + 1 == joined.size();
    const double keys = (is_last ? size : joined[i + 1].begin) - joined[i].begin;
    const auto width =
        static_cast<double>((is_last ? behind(span) : joined[i + 1].first) - joined[i].first);
    const double crowding = keys == 0 ? 1 : joined[i].squares * width / (keys * keys);
    pieces.push_back({joined[i].first, joined[i].begin, static_cast<float>(crowding)});
  }
  return pieces;
}

template <class Element>
std::vector<KeyPiece> cut_into_pieces(const Element* elements, std::size_t size, std::uint64_t span,
                                      const JoinLimits& limits) {
  const auto count = static_cast<std::uint32_t>(size);
  const auto key_at = [&](std::uint32_t position) -> std::uint64_t {
    return key_of(elements[position]);
  };
  const std::uint64_t last_key = size == 0 ? 0 : key_at(count - 1);
  const std::size_t chunks = (size + pieces::chunk_keys - 1) / pieces::chunk_keys;
  std::vector<std::vector<KeyStretch>> made(chunks);
  parallel_for(chunks, 4, [&](std::size_t first, std::size_t number) {
    for (std::size_t chunk = first; chunk < first + number; ++chunk)
      cut_chunk(
          key_at,
          [&](std::uint32_t block) {
            const std::uint32_t begin = block * pieces::block_keys;
            const std::uint32_t end = begin + std::min(count - begin, pieces::block_keys);
            return pieces::step_squares(key_at, begin, end, count, behind(last_key));
          },
          count, behind(last_key), static_cast<std::uint32_t>(chunk), limits,
          [&](const KeyStretch& stretch) { made[chunk].push_back(stretch); });
  });
  std::vector<KeyStretch> all;
  for (const auto& some : made) all.insert(all.end(), some.begin(), some.end());
  return join_stretches(all, count, last_key, span, limits);
}

template std::vector<KeyPiece> cut_into_pieces(const Pair<std::uint32_t>*, std::size_t,
                                               std::uint64_t, const JoinLimits&);
template std::vector<KeyPiece> cut_into_pieces(const Pair<std::uint64_t>*, std::size_t,
                                               std::uint64_t, const JoinLimits&);
template std::vector<KeyPiece> cut_into_pieces(const std::uint32_t*, std::size_t, std::uint64_t,
                                               const JoinLimits&);
template std::vector<KeyPiece> cut_into_pieces(const std::uint64_t*, std::size_t, std::uint64_t,
                                               const JoinLimits&);

namespace {

// Fills the table of a root whose slots are chosen; returns the steps after the table.
template <class SlotOf>
std::uint32_t fill_table(std::span<const std::uint64_t> firsts, const SlotOf& slot_of,
                         std::vector<std::uint32_t>& table) {
  const auto count = static_cast<std::uint32_t>(firsts.size());
  std::uint32_t piece = 0;
  std::uint32_t max_pieces = 1;
  for (std::size_t slot = 0; slot + 1 < table.size(); ++slot) {
    // Keys of the slot are in the last piece that begins before it, or in one that begins in it.
    while (piece + 1 < count && slot_of(firsts[piece + 1]) < slot) ++piece;
    table[slot] = piece;
    if (slot > 0) max_pieces = std::max(max_pieces, piece - table[slot - 1] + 1);
  }
  max_pieces = std::max(max_pieces, count - piece);
  table.back() = count - 1;
  return steps_for(max_pieces);
}

// A root without a table.
[[nodiscard]] MadeRoot bare_root(std::uint32_t pieces) {
  MadeRoot made;
  made.root.last = pieces - 1;
  made.root.steps = steps_for(pieces);
  return made;
}

[[nodiscard]] MadeRoot root_for_single(std::span<const std::uint64_t> firsts, std::uint64_t span) {
  const auto count = static_cast<std::uint32_t>(firsts.size());
  const std::uint64_t entries = 8 * std::uint64_t{count};
  MadeRoot made = bare_root(count);
  if (count <= max_near_pieces || span < entries) return made;
  made.root.slots = Spread(0, span, entries);
  made.root.has_table = true;
  made.table.resize(made.root.slots(span) + 2);
  made.root.steps = fill_table(firsts, made.root.slots, made.table);
  return made;
}

// The table with the fewest remaining steps, if it saves enough of them.
[[nodiscard]] MadeRoot root_in_step(std::span<const std::uint64_t> firsts, std::uint64_t span) {
  const auto count = static_cast<std::uint32_t>(firsts.size());
  const std::uint64_t entries = 2 * std::uint64_t{count};
  MadeRoot best = bare_root(count);
  if (best.root.steps <= table_steps || span < entries) return best;
  std::uint32_t max_steps = best.root.steps - table_steps;
  const auto significant =
      static_cast<std::uint32_t>(std::clamp(static_cast<int>(std::bit_width(count)) - 2, 3, 8));
  for (const std::uint32_t bits : {0U, significant}) {
    MadeRoot made = bare_root(count);
    made.root.slots = Spread(0, span, entries);
    made.root.significant = bits;
    made.root.has_table = true;
    made.table.resize(std::size_t{made.root.slot(span)} + 2);
    made.root.steps = fill_table(
        firsts, [&](std::uint64_t key) { return made.root.slot(key); }, made.table);
    if (made.root.steps >= max_steps) continue;
    max_steps = made.root.steps;
    best = std::move(made);
  }
  return best;
}

}  // namespace

MadeRoot make_root(std::span<const std::uint64_t> firsts, std::uint64_t span, PieceSearch search) {
  return search == PieceSearch::in_step ? root_in_step(firsts, span)
                                        : root_for_single(firsts, span);
}

}  // namespace rtindex
