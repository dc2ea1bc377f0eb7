#include "engine/searcher.hpp"

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "order/key_order.hpp"

namespace rtindex {

void SegmentKeys::save(FileWriter file) const { save_column(file, column()); }

EncodedColumn SegmentKeys::column_of(std::span<const std::uint32_t> rows) const {
  const EncodedColumn all = column();
  std::vector<std::uint32_t> which;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (std::binary_search(rows.begin(), rows.end(), all.row(i)))
      which.push_back(static_cast<std::uint32_t>(i));
  return all.selected(which);
}

IncludedRows SegmentKeys::included_rows_of(std::span<const std::uint32_t> rows) const {
  const IncludedRows all = included_rows();
  std::vector<std::size_t> which;
  for (std::size_t i = 0; i < all.rows.size(); ++i)
    if (std::binary_search(rows.begin(), rows.end(), all.rows[i])) which.push_back(i);
  IncludedRows some;
  some.rows = Array<std::uint32_t>(which.size());
  for (std::size_t i = 0; i < which.size(); ++i) some.rows[i] = all.rows[which[i]];
  for (const OwnedColumn& column : all.columns) {
    const ColumnView values = column.view();
    OwnedColumn& copied = some.columns.emplace_back(values.type(), which.size());
    for (std::size_t i = 0; i < which.size(); ++i) copied.set(i, values, which[i]);
  }
  return some;
}

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
