#include "kinds/grid/grid_group.hpp"

#include <algorithm>
#include <utility>

namespace rtindex {

GridLayout lay_out_grid(const std::vector<KeyPiece>& pieces, std::uint32_t size, std::uint64_t span,
                        int keys_per_cell) {
  GridLayout layout;
  std::vector<std::uint64_t> firsts;
  layout.pieces.reserve(pieces.size());
  firsts.reserve(pieces.size());
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const KeyPiece& piece = pieces[i];
    const bool is_last = i + 1 == pieces.size();
    const std::uint64_t highest = is_last ? span : pieces[i + 1].first - 1;
    const std::uint64_t keys = (is_last ? size : pieces[i + 1].begin) - piece.begin;
    const float fewer = is_crowded(piece) ? piece.crowding : 1;
    const int each = std::max(1, static_cast<int>(static_cast<float>(keys_per_cell) / fewer));
    const Spread spread(piece.first, highest, cells_for(keys, each));
    layout.pieces.push_back({spread, static_cast<std::uint32_t>(layout.groups), piece.begin});
    layout.groups += spread(highest) / GridGroup::cells + 1;
    firsts.push_back(piece.first);
  }
  MadeRoot made = make_root(firsts, span, PieceSearch::single);
  layout.root = made.root;
  layout.table = std::move(made.table);
  return layout;
}

}  // namespace rtindex
