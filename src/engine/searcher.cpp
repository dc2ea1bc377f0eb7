#include "engine/searcher.hpp"

#include "base/error.hpp"
#include "order/key_order.hpp"

namespace rtindex {

void SegmentKeys::save(FileWriter file) const { save_column(file, column()); }

void SegmentKeys::select(const KeyCodec& codec, std::span<const std::uint64_t> positions,
                         std::uint32_t* rows) const {
  const EncodedColumn all = column();
  with_key_type(is_wide(all.span), [&](auto key) {
    const KeyOrder<decltype(key)> order(all, codec);
    const auto in_order = order.rows();
    for (std::size_t i = 0; i < positions.size(); ++i)
      rows[i] = positions[i] < order.size() ? in_order[positions[i]] : miss_row;
  });
}

void Searcher::find_edges(const LookupBatch&, Edge, const RowBits&, std::uint32_t*, std::uint64_t*,
                          Counters*) const {
  fail(ErrorKind::unsupported,
       "the index does not keep its keys in order: use rx, sorted or btree");
}

void Searcher::refit(const Changes&, std::uint64_t) {
  fail(ErrorKind::unsupported, "the keys of this index cannot be changed in place");
}

}  // namespace rtindex
