#include "keys/rank_codec.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "base/search.hpp"

namespace rtindex {

namespace {

// The elements of the distinct keys of a column, in key order.
std::vector<std::uint32_t> distinct_elements(const ColumnView& column, const KeyCodec& codec) {
  const EncodedColumn encoded = codec.encode(column);
  const auto compare = [&](std::uint32_t a, std::uint32_t b) {
    const std::uint64_t x = encoded.keys[a];
    const std::uint64_t y = encoded.keys[b];
    if (x != y) return x < y ? -1 : 1;
    return codec.has_residual() ? codec.comparer()->compare_rows(encoded.row(a), encoded.row(b))
                                : 0;
  };
  std::vector<std::uint32_t> order(encoded.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint32_t>(i);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return compare(a, b) < 0; });
  order.erase(std::unique(order.begin(), order.end(),
                          [&](std::uint32_t a, std::uint32_t b) { return compare(a, b) == 0; }),
              order.end());
  for (std::uint32_t& element : order) element = encoded.row(element);
  return order;
}

}  // namespace

RankCodec::RankCodec(const ColumnView& column) : KeyCodec(column.type()) {
  const std::unique_ptr<KeyCodec> all = KeyCodec::for_column(column);
  const std::vector<std::uint32_t> elements = distinct_elements(column, *all);
  OwnedColumn distinct = all->null_column(elements.size());
  for (std::size_t i = 0; i < elements.size(); ++i) distinct.set(i, column, elements[i]);
  const ColumnView view = distinct.view();
  adopt(KeyCodec::for_column(view));
  keys_ = distinct_->encode(view).keys;
  if (!elements.empty()) set_extent({0, elements.size() - 1});
}

RankCodec::RankCodec(const FileReader& file, std::size_t rows)
    : KeyCodec(type_named(file.text("type")), file) {
  adopt(KeyCodec::from_file(file.part("distinct"), rows));
  const std::size_t ranks = empty() ? 0 : span() + 1;
  if (distinct_->type() != type_ || distinct_->rows().size() < ranks)
    file.reject("its ranks are not those of its keys");
  keys_ = PackedKeys(file, "keys", ranks, distinct_->span());
}

void RankCodec::adopt(std::unique_ptr<KeyCodec> distinct) {
  distinct_ = std::move(distinct);
  part_types_ = distinct_->part_types();
}

void RankCodec::save_own(FileWriter& file) const {
  file.number("ranks", 1);
  distinct_->save(file.part("distinct"));
  keys_.save(file, "keys");
}

void RankCodec::encode_rows(const ColumnView& column, std::size_t first, std::size_t count,
                            std::uint64_t* keys) const {
  for (std::size_t i = 0; i < count; ++i)
    keys[i] = column.valid(first + i) ? encode_ends(column, first + i).lower.key : 0;
}

OwnedColumn RankCodec::decode(const EncodedColumn& encoded) const {
  EncodedColumn distinct;
  distinct.row_count = keys_.size();
  distinct.span = distinct_->span();
  distinct.keys = PackedKeys(encoded.size(), distinct.span);
  distinct.rows = Array<std::uint32_t>(encoded.size());
  for (std::size_t i = 0; i < encoded.size(); ++i) {
    const std::uint64_t rank = std::min<std::uint64_t>(encoded.keys[i], keys_.size() - 1);
    distinct.keys.set(i, std::min(keys_[rank], distinct.span));
    distinct.rows[i] = static_cast<std::uint32_t>(rank);
  }
  return distinct_->decode(distinct);
}

EncodedEnds RankCodec::encode_ends(const ColumnView& lookups, std::size_t i) const {
  const EncodedEnds ends = distinct_->encode_ends(lookups, i);
  const std::uint64_t ranks = keys_.size();
  const auto rank_of = [&](std::uint64_t key, int least) {
    return partition_point(std::uint64_t{0}, ranks, [&](std::uint64_t rank) {
      if (keys_[rank] != key) return keys_[rank] < key;
      return distinct_->comparer()->compare_residual(static_cast<std::uint32_t>(rank), lookups, i) <
             least;
    });
  };
  const auto first_key = [&](std::uint64_t key) {
    return partition_point(std::uint64_t{0}, ranks,
                           [&](std::uint64_t rank) { return keys_[rank] < key; });
  };
  EncodedEnds result;
  std::uint64_t lower = ranks;
  if (!ends.lower.none)
    lower = ends.lower.check ? rank_of(ends.lower.key, 0) : first_key(ends.lower.key);
  result.lower = {lower, lower == ranks};
  std::uint64_t above = 0;
  if (!ends.upper.none)
    above = ends.upper.check                      ? rank_of(ends.upper.key, 1)
            : ends.upper.key >= distinct_->span() ? ranks
                                                  : first_key(ends.upper.key + 1);
  result.upper = {above == 0 ? 0 : above - 1, above == 0};
  return result;
}

}  // namespace rtindex
