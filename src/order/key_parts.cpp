#include "order/key_parts.hpp"

#include <algorithm>
#include <cassert>

namespace rtindex {

KeyParts::KeyParts(const KeyAt& key_at, std::size_t size, std::uint64_t span, std::size_t count)
    : span_(span) {
  assert(count > 0 && count <= max_parts);
  firsts_.push_back(0);
  begins_.push_back(0);
  for (std::size_t i = 1; i < count; ++i) {
    const auto position = static_cast<std::uint32_t>(size * i / count);
    if (position <= begins_.back()) continue;
    const std::uint64_t key = key_at(position);
    // Equal keys belong to one part; keys of a damaged file may not ascend.
    if (key <= firsts_.back() || key > span) continue;
    const std::uint32_t begin = pieces::start_of_run(key_at, begins_.back(), position);
    if (begin == begins_.back()) continue;
    firsts_.push_back(key);
    begins_.push_back(begin);
  }
  begins_.push_back(static_cast<std::uint32_t>(size));
  root_ = make_root(firsts_, span, PieceSearch::in_step);
}

void KeyParts::find(const std::uint64_t* keys, std::size_t count, std::uint32_t* parts) const {
  const PieceRoot& root = root_.root;
  const std::uint32_t* const table = root_.table.data();
  if (root.has_table)
    for (std::size_t i = 0; i < count; ++i) parts[i] = table[root.slot(keys[i])];
  else
    std::fill_n(parts, count, 0);
  const std::uint64_t* const firsts = firsts_.data();
  step_to_pieces(
      root.steps, root.last, keys, count, [&](std::uint32_t part) { return firsts[part]; }, parts);
}

}  // namespace rtindex
