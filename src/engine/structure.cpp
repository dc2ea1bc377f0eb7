#include "engine/structure.hpp"

#include "base/error.hpp"
#include "order/key_order.hpp"

namespace rtindex {

void Structure::save(FileWriter file) const { save_column(file, column()); }

void Structure::find_edges(const LookupBatch&, Edge, const RowBits&, std::uint32_t*, std::uint64_t*,
                           Counters*) const {
  fail(ErrorKind::unsupported,
       "the index does not keep its keys in order: use rx, sorted or btree");
}

void Structure::select(const KeyCodec& codec, std::span<const std::uint64_t> places,
                       std::uint32_t* rows) const {
  const EncodedColumn all = column();
  with_key_type(is_wide(all.span), [&](auto key) {
    const KeyOrder<decltype(key)> order(all, codec);
    const auto in_order = order.rows();
    for (std::size_t i = 0; i < places.size(); ++i)
      rows[i] = places[i] < order.size() ? in_order[places[i]] : miss_row;
  });
}

}  // namespace rtindex
