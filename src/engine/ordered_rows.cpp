#include <algorithm>
#include <vector>

#include "base/parallel.hpp"
#include "engine/batch_runner.hpp"
#include "keys/compare.hpp"

namespace rtindex {

namespace {

// The rows of a chunk of lookups in one segment, in their order, with the keys that order
// them among those of all segments.
class SegmentRows {
 public:
  SegmentRows(const Segment& segment, const BatchQuery& query, const Request& request,
              std::size_t first, std::size_t count) {
    Request own;
    own.answers = Answer::rows;
    own.order = request.order;
    own.limit = request.limit;
    own.deleted = bits_of(segment.deleted);
    own.row_counts = counts_;
    own.chunk_rows = &rows_;
    own.chunk_keys = &keys_;
    segment.searcher->answer(query.batch(*segment.codec, first, count), own);
    if (const auto base = segment.codec->native_base())
      for (std::uint64_t& key : keys_.front()) key += *base;
    else
      decode(*segment.codec);
    starts_[0] = 0;
    for (std::size_t i = 0; i < count; ++i) starts_[i + 1] = starts_[i] + counts_[i];
  }

  [[nodiscard]] std::size_t begin(std::size_t lookup) const { return starts_[lookup]; }
  [[nodiscard]] std::size_t end(std::size_t lookup) const { return starts_[lookup + 1]; }
  [[nodiscard]] std::uint32_t row(std::size_t i) const { return rows_.front()[i]; }

  // Whether row i of this segment comes before row j of another.
  [[nodiscard]] bool precedes(std::size_t i, const SegmentRows& other, std::size_t j) const {
    const int order = decoded_.has_value() ? compare_elements(decoded_, i, other.decoded_, j)
                                           : compare(keys_.front()[i], other.keys_.front()[j]);
    return order != 0 ? order < 0 : row(i) < other.row(j);
  }

 private:
  void decode(const KeyCodec& codec) {
    EncodedColumn encoded;
    const std::vector<std::uint64_t>& keys = keys_.front();
    encoded.span = codec.span();
    encoded.keys = PackedKeys(keys.size(), codec.span());
    encoded.rows = Array<std::uint32_t>(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      encoded.keys.set(i, keys[i]);
      encoded.rows[i] = row(i);
    }
    own_ = codec.decode(encoded);
    decoded_ = own_.view();
  }

  std::uint64_t counts_[chunk_lookups];
  std::size_t starts_[chunk_lookups + 1];
  std::vector<std::vector<std::uint32_t>> rows_{1};
  std::vector<std::vector<std::uint64_t>> keys_{1};  // of a native column: ordered_bits()
  OwnedColumn own_;                                  // of any other column
  ColumnView decoded_;
};

struct SegmentRow {
  const SegmentRows* segment;
  std::size_t at;
};

}  // namespace

void rows_in_order(std::span<const Segment> segments, const BatchQuery& query,
                   const Request& request) {
  parallel_for(query.size(), chunk_lookups, [&](std::size_t first, std::size_t count) {
    std::vector<SegmentRows> found;
    found.reserve(segments.size());
    for (const Segment& segment : segments)
      found.emplace_back(segment, query, request, first, count);
    std::vector<SegmentRow> rows;
    for (std::size_t lookup = 0; lookup < count; ++lookup) {
      rows.clear();
      for (const SegmentRows& segment : found)
        for (std::size_t i = segment.begin(lookup); i < segment.end(lookup); ++i)
          rows.push_back({&segment, i});
      const std::size_t size = std::min<std::size_t>(rows.size(), request.limit);
      request.row_counts[first + lookup] = size;
      if (request.chunk_rows == nullptr) continue;
      const auto precedes = [](const SegmentRow& a, const SegmentRow& b) {
        return a.segment->precedes(a.at, *b.segment, b.at);
      };
      const auto middle = rows.begin() + static_cast<std::ptrdiff_t>(size);
      if (request.order == RowOrder::ascending)
        std::partial_sort(rows.begin(), middle, rows.end(), precedes);
      else
        std::partial_sort(rows.begin(), middle, rows.end(),
                          [&](const SegmentRow& a, const SegmentRow& b) { return precedes(b, a); });
      std::vector<std::uint32_t>& out = (*request.chunk_rows)[first / chunk_lookups];
      for (std::size_t i = 0; i < size; ++i) out.push_back(rows[i].segment->row(rows[i].at));
    }
  });
}

}  // namespace rtindex
