#include "keys/codecs.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "base/prefetch.hpp"
#include "keys/codec_parts.hpp"
#include "keys/composite_parts.hpp"

namespace rtindex {

namespace {

constexpr std::size_t block_rows = 2048;

// Of the tuples, where some may be null: the parts of a null tuple must not widen the packed keys.
[[nodiscard]] std::vector<std::uint8_t> validity_of(const ColumnView& column) {
  if (!column.nullable()) return {};
  std::vector<std::uint8_t> bits((column.size() + 7) / 8, 0);
  parallel_for(column.size(), block_rows, [&](std::size_t first, std::size_t count) {
    for (std::size_t row = first; row < first + count; ++row)
      bits[row / 8] =
          static_cast<std::uint8_t>(bits[row / 8] | (column.valid(row) ? 1U : 0U) << row % 8);
  });
  return bits;
}

class CompositeCodec final : public KeyCodec {
 public:
  explicit CompositeCodec(const ColumnView& column) {
    const std::vector<std::uint8_t> valid = validity_of(column);
    for (const ColumnView& part : column.parts())
      add(KeyCodec::for_column(valid.empty() ? part : part.with_validity(valid.data())));
    for (std::size_t row = 0; row < column.size() && empty_; ++row) empty_ = !column.valid(row);
    if (empty_) return;
    lay_out();
    if (has_residual_) keep_residual(column);
    find_extent(column);
  }

  CompositeCodec(std::vector<std::unique_ptr<KeyCodec>> parts, const PackedSource& source) {
    for (std::unique_ptr<KeyCodec>& part : parts) add(std::move(part));
    empty_ = parts_.front().codec->empty();
    if (empty_) return;
    lay_out();
    const KeyExtent extent = source.find_extent(layout());
    base_ = extent.smallest;
    span_ = extent.largest - extent.smallest;
    for (std::size_t p = first_residual_; p < parts_.size(); ++p)
      parts_[p].residual = Loaded<PackedKeys>([load = source.load_keys, p] { return load(p); });
  }

  CompositeCodec(const FileReader& file, std::size_t rows)
      : KeyCodec(file), base_(file.number("base")) {
    const std::uint64_t parts = file.number("parts");
    if (parts == 0) file.refuse("its composite keys have no parts");
    for (std::uint64_t p = 0; p < parts; ++p) {
      const FileReader part = file.part(fmt::format("part{}", p));
      if (part.text("type") == name_of(Type::composite))
        part.refuse("a part of its composite keys is composite");
      add(KeyCodec::from_file(part, rows));
    }
    if (span_ > std::numeric_limits<std::uint64_t>::max() - base_)
      file.refuse("its keys reach beyond 64 bits");
    if (empty_) return;
    lay_out();
    for (std::size_t p = first_residual_; p < parts_.size(); ++p)
      parts_[p].residual =
          PackedKeys(file.part(fmt::format("part{}", p)), "by_row", rows, parts_[p].codec->span());
  }

  [[nodiscard]] std::optional<CodecParts> parts() const override {
    if (parts_.size() > PackedMap::max_parts) return std::nullopt;
    CodecParts result = layout();
    for (std::size_t p = first_residual_; p < parts_.size() && has_residual_; ++p)
      result.parts[p].keys = &parts_[p].residual;
    return result;
  }

  [[nodiscard]] Type type() const override { return Type::composite; }
  [[nodiscard]] std::vector<Type> part_types() const override {
    std::vector<Type> types;
    for (const CompositePart& part : parts_) types.push_back(part.codec->type());
    return types;
  }

  [[nodiscard]] std::optional<PackedMap> packed_map() const override {
    if (has_residual_ || parts_.size() > PackedMap::max_parts) return std::nullopt;
    for (const CompositePart& part : parts_)
      if (!part.codec->native_map()) return std::nullopt;
    constexpr StringMap no_dictionaries[PackedMap::max_parts] = {};
    PackedMap map = packed_map_of(layout(), no_dictionaries);
    map.span = span_;
    map.empty = empty_;
    return map;
  }

  [[nodiscard]] std::size_t bytes() const override {
    std::size_t bytes = 0;
    for (const CompositePart& part : parts_) {
      const PackedKeys* const keys = part.residual.if_there();
      bytes += part.codec->bytes() + (keys == nullptr ? 0 : keys->bytes());
    }
    return bytes;
  }

  [[nodiscard]] std::string describe() const override {
    std::string text = "composite of";
    for (const CompositePart& part : parts_)
      text += fmt::format("{} {} ({} bits of the key)", &part == &parts_.front() ? "" : ",",
                          name_of(part.codec->type()), part.bits);
    return text + (has_residual_ ? "; the rest is compared in the hit" : "");
  }

  void encode_rows(const ColumnView& column, std::size_t first, std::size_t count,
                   std::uint64_t* keys) const override {
    std::fill_n(keys, count, 0);
    std::vector<std::uint64_t> part_keys(count);
    for (std::size_t p = 0; p < packed_; ++p) {
      parts_[p].codec->encode_rows(column.parts()[p], first, count, part_keys.data());
      for (std::size_t i = 0; i < count; ++i)
        keys[i] = append_part(keys[i], parts_[p], part_keys[i]);
    }
    for (std::size_t i = 0; i < count; ++i) keys[i] -= base_;
  }

  [[nodiscard]] OwnedColumn decode(const EncodedColumn& encoded) const override {
    std::vector<OwnedColumn> columns;
    int shift = 0;
    for (std::size_t p = 0; p < packed_; ++p) shift += parts_[p].bits;
    for (const CompositePart& part : parts_) {
      shift -= part.bits;
      EncodedColumn own;
      own.row_count = encoded.row_count;
      own.span = part.codec->span();
      own.keys = PackedKeys(encoded.size(), part.codec->span());
      own.rows = Array<std::uint32_t>(encoded.size());
      const bool is_stored = has_residual_ && &part >= parts_.data() + first_residual_;
      for (std::size_t i = 0; i < encoded.size(); ++i) {
        const std::size_t element = rows_.element(encoded.row(i));
        own.rows[i] = static_cast<std::uint32_t>(element);
        own.keys.set(i, is_stored ? part.residual.get()[element]
                                  : extract_part(encoded.keys[i] + base_, part.bits, shift));
      }
      columns.push_back(part.codec->decode(own));
    }
    OwnedColumn column = OwnedColumn::composite(std::move(columns));
    for (std::size_t i = 0; i < encoded.size(); ++i) column.set_valid(i, true);
    return column;
  }

  void require_comparable(const ColumnView& lookups) const override {
    if (lookups.type() != Type::composite)
      fail(
          "{} keys cannot be compared with a composite column: pass composite keys of {} "
          "parts",
          name_of(lookups.type()), parts_.size());
    if (lookups.parts().size() > parts_.size())
      fail("the lookups have {} parts but the composite column has {}", lookups.parts().size(),
           parts_.size());
    for (std::size_t p = 0; p < lookups.parts().size(); ++p)
      parts_[p].codec->require_comparable(lookups.parts()[p]);
  }

  // Part by part for blocks of lookups whose parts have values that the column's can have; those of
  // others one by one.
  void encode_lookups(const ColumnView& lower, const ColumnView& upper, RangeEnds ends,
                      std::size_t first, std::size_t count, Interval* intervals,
                      std::uint8_t* checks) const override {
    if (has_residual_ || empty_)
      return KeyCodec::encode_lookups(lower, upper, ends, first, count, intervals, checks);
    for (std::size_t done = 0; done < count; done += PackedEnds::most) {
      const std::size_t size = std::min(PackedEnds::most, count - done);
      encode_block(lower, upper, ends, first + done, size, intervals + done);
    }
  }

  [[nodiscard]] EncodedEnds encode_ends(const ColumnView& lookups, std::size_t i) const override {
    const PackedParts map = packed_parts();
    const std::size_t count = lookups.parts().size();
    const auto ends_of = [&](std::size_t p) {
      return parts_[p].codec->encode_ends(lookups.parts()[p], i);
    };
    return {encode_packed<true>(map, packed_end<true>(map, count, ends_of)),
            encode_packed<false>(map, packed_end<false>(map, count, ends_of))};
  }

  [[nodiscard]] int compare_residual(std::uint32_t row, const ColumnView& lookups,
                                     std::size_t i) const override {
    const auto element = static_cast<std::uint32_t>(rows_.element(row));
    for (std::size_t p = first_residual_; p < lookups.parts().size(); ++p) {
      const int order = parts_[p].codec->compare(element, parts_[p].residual.get()[element],
                                                 lookups.parts()[p], i);
      if (order != 0) return order;
    }
    return 0;
  }

  void prefetch_residual(std::uint32_t row, int step) const override {
    const CompositePart& part = parts_[first_residual_];
    const auto element = static_cast<std::uint32_t>(rows_.element(row));
    if (step == 0) prefetch(part.residual.get().address(element));
    if (part.codec->has_residual()) part.codec->prefetch_residual(element, step);
  }

  [[nodiscard]] int compare_rows(std::uint32_t a, std::uint32_t b) const override {
    const auto x = static_cast<std::uint32_t>(rows_.element(a));
    const auto y = static_cast<std::uint32_t>(rows_.element(b));
    for (std::size_t p = first_residual_; p < parts_.size(); ++p) {
      const PackedKeys& keys = parts_[p].residual.get();
      if (keys[x] != keys[y]) return keys[x] < keys[y] ? -1 : 1;
      if (const int order = parts_[p].codec->compare_rows(x, y); order != 0) return order;
    }
    return 0;
  }

 private:
  void save_own(FileWriter& file) const override {
    file.number("base", base_);
    file.number("parts", parts_.size());
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      FileWriter part = file.part(fmt::format("part{}", p));
      parts_[p].codec->save(part);
      if (has_residual_ && p >= first_residual_) parts_[p].residual.get().save(part, "by_row");
    }
  }

  void encode_block(const ColumnView& lower, const ColumnView& upper, RangeEnds ends,
                    std::size_t first, std::size_t count, Interval* intervals) const {
    PackedEnds low;
    PackedEnds high;
    if (lower.has_value()) pack_ends(parts_, lower, first, count, low);
    if (upper.has_value() && &lower != &upper) pack_ends(parts_, upper, first, count, high);
    const PackedEnds& high_ends = &lower == &upper ? low : high;
    const RangeEnds open{lower.has_value() && ends.lower_open,
                         upper.has_value() && ends.upper_open};
    const bool has_nulls = lower.nullable() || upper.nullable();
    for (std::size_t i = 0; i < count; ++i) {
      const bool is_null = has_nulls && !(lower.valid(first + i) && upper.valid(first + i));
      if (is_null || (lower.has_value() && !low.is_known[i]) ||
          (upper.has_value() && !high_ends.is_known[i])) {
        KeyCodec::encode_lookups(lower, upper, ends, first + i, 1, intervals + i, nullptr);
        continue;
      }
      std::uint64_t from = base_;
      std::uint64_t to = base_ + span_;
      if (lower.has_value()) from = ends.lower_open ? low.last[i] : low.first[i];
      if (upper.has_value()) to = ends.upper_open ? high_ends.first[i] : high_ends.last[i];
      intervals[i] = range_at(base_, span_, from, to, open);
    }
  }

  void add(std::unique_ptr<KeyCodec> codec) { parts_.emplace_back().codec = std::move(codec); }

  [[nodiscard]] PackedParts packed_parts() const {
    return {parts_, parts_.size(), first_residual_, base_, span_};
  }

  // All parts but what is compared in full.
  [[nodiscard]] CodecParts layout() const {
    CodecParts result{{}, has_residual_ ? first_residual_ : parts_.size(), base_};
    for (const CompositePart& part : parts_) {
      const KeyCodec& codec = *part.codec;
      CodecPart own;
      if (const auto map = codec.native_map())
        own.map = *map;
      else
        own = codec.parts()->parts.front();
      own.bits = part.bits;
      own.dropped = part.dropped;
      result.parts.push_back(own);
    }
    return result;
  }

  // Gives each part its bits; the first part that does not fit whole, or that itself compares in
  // the hit, is the last one packed.
  void lay_out() {
    int left = 64;
    first_residual_ = parts_.size();
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      CompositePart& part = parts_[p];
      const auto wanted = static_cast<int>(std::bit_width(part.codec->span()));
      part.bits = std::min(wanted, left);
      part.dropped = wanted - part.bits;
      left -= part.bits;
      packed_ = p + 1;
      if (part.dropped != 0 || part.codec->has_residual()) {
        has_residual_ = true;
        first_residual_ = p;
        break;
      }
    }
  }

  void keep_residual(const ColumnView& column) {
    for (std::size_t p = first_residual_; p < parts_.size(); ++p) {
      CompositePart& part = parts_[p];
      PackedKeys kept(column.size(), part.codec->span());
      parallel_for(column.size(), block_rows, [&](std::size_t first, std::size_t count) {
        std::uint64_t keys[block_rows];
        part.codec->encode_rows(column.parts()[p], first, count, keys);
        for (std::size_t i = 0; i < count; ++i) kept.set(first + i, keys[i]);
      });
      part.residual = std::move(kept);
    }
  }

  void find_extent(const ColumnView& column) {
    const KeyExtent extent = parallel_reduce(
        column.size(), block_rows, KeyExtent{},
        [&](std::size_t first, std::size_t count) {
          KeyExtent here;
          std::uint64_t keys[block_rows];
          encode_rows(column, first, count, keys);
          for (std::size_t i = 0; i < count; ++i)
            if (column.valid(first + i)) here.add(keys[i]);
          return here;
        },
        KeyExtent::union_of);
    base_ = extent.smallest;
    span_ = extent.largest - extent.smallest;
  }

  std::vector<CompositePart> parts_;
  std::size_t packed_ = 0;          // parts that are in the packed key, the last maybe in part
  std::size_t first_residual_ = 0;  // the first part that is compared in the hit
  std::uint64_t base_ = 0;
};

}  // namespace

std::unique_ptr<KeyCodec> make_composite_codec(const ColumnView& column) {
  return std::make_unique<CompositeCodec>(column);
}

std::unique_ptr<KeyCodec> make_composite_codec(std::vector<std::unique_ptr<KeyCodec>> parts,
                                               const PackedSource& source) {
  return std::make_unique<CompositeCodec>(std::move(parts), source);
}

std::unique_ptr<KeyCodec> make_composite_codec(const FileReader& file, std::size_t rows) {
  return std::make_unique<CompositeCodec>(file, rows);
}

}  // namespace rtindex
