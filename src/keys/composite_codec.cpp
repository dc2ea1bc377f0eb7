#include <algorithm>
#include <bit>
#include <span>
#include <vector>

#include "base/parallel.hpp"
#include "base/prefetch.hpp"
#include "keys/codecs.hpp"

namespace rtindex {

namespace {

constexpr std::size_t block_rows = 2048;

// The fields of a null tuple must not widen the packed keys. Empty: no tuple is null.
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

struct CompositeField {
  std::unique_ptr<KeyCodec> codec;
  Lazy<PackedKeys> keys{PackedKeys()};  // by element, where they are compared in the hit
};

// `fields`: those that are compared in the hit, from `first` on.
class CompositeComparer final : public FullKeyComparer {
 public:
  CompositeComparer(const RowNumbers& rows, std::span<const CompositeField> fields,
                    std::size_t first)
      : rows_(rows), fields_(fields), first_(first) {}

  [[nodiscard]] int compare_residual(std::uint32_t row, const ColumnView& lookups,
                                     std::size_t i) const override {
    const std::uint32_t element = element_of(row);
    for (std::size_t p = first_; p < lookups.parts().size(); ++p) {
      const CompositeField& field = fields_[p - first_];
      const int order =
          field.codec->compare(element, field.keys.get()[element], lookups.parts()[p], i);
      if (order != 0) return order;
    }
    return 0;
  }

  [[nodiscard]] int compare_rows(std::uint32_t a, std::uint32_t b) const override {
    const std::uint32_t x = element_of(a);
    const std::uint32_t y = element_of(b);
    for (const CompositeField& field : fields_) {
      const PackedKeys& keys = field.keys.get();
      if (keys[x] != keys[y]) return keys[x] < keys[y] ? -1 : 1;
      if (!field.codec->has_residual()) continue;
      if (const int order = field.codec->comparer()->compare_rows(x, y); order != 0) return order;
    }
    return 0;
  }

  void prefetch_residual(std::uint32_t row, int step) const override {
    const CompositeField& field = fields_.front();
    const std::uint32_t element = element_of(row);
    if (step == 0) prefetch(field.keys.get().address(element));
    if (field.codec->has_residual()) field.codec->comparer()->prefetch_residual(element, step);
  }

 private:
  [[nodiscard]] std::uint32_t element_of(std::uint32_t row) const {
    return static_cast<std::uint32_t>(rows_.element(row));
  }

  const RowNumbers& rows_;
  std::span<const CompositeField> fields_;
  std::size_t first_;
};

// A PackedMap of any number of fields, for packed_end().
struct PackedFields {
  std::span<const CodecField> fields;
  std::size_t count;
  std::size_t first_compared;
};

// One end of a block of lookups: the smallest and greatest packed keys that begin with each.
struct PackedEnds {
  static constexpr std::size_t max_lookups = 256;

  std::uint64_t first[max_lookups];
  std::uint64_t last[max_lookups];
  bool is_known[max_lookups];  // false: a field has a value that the column's cannot have
};

class CompositeCodec final : public KeyCodec {
 public:
  explicit CompositeCodec(const ColumnView& column) : KeyCodec(Type::composite) {
    const std::vector<std::uint8_t> valid = validity_of(column);
    for (const ColumnView& field : column.parts())
      add(KeyCodec::for_column(valid.empty() ? field : field.with_validity(valid.data())));
    if (!own_fields_.front().codec->empty()) {
      lay_out();
      if (has_residual()) keep_residual(column);
      set_extent(extent_of(column));
    }
    set_maps();
  }

  CompositeCodec(std::vector<std::unique_ptr<KeyCodec>> fields, const PackedSource& source)
      : KeyCodec(Type::composite) {
    for (std::unique_ptr<KeyCodec>& field : fields) add(std::move(field));
    if (!own_fields_.front().codec->empty()) {
      lay_out();
      set_extent(source.find_extent(fields_));
      for (std::size_t p = fields_.first_compared; p < own_fields_.size(); ++p)
        own_fields_[p].keys = Lazy<PackedKeys>([load = source.load_keys, p] { return load(p); });
    }
    set_maps();
  }

  CompositeCodec(const FileReader& file, std::size_t rows) : KeyCodec(Type::composite, file) {
    const std::uint64_t count = file.number("parts");
    if (count == 0) file.reject("its composite keys have no parts");
    for (std::uint64_t p = 0; p < count; ++p) {
      const FileReader field = file.part(fmt::format("part{}", p));
      if (field.text("type") == name_of(Type::composite))
        field.reject("a part of its composite keys is composite");
      add(KeyCodec::from_file(field, rows));
    }
    if (!empty()) {
      lay_out();
      for (std::size_t p = fields_.first_compared; p < own_fields_.size(); ++p)
        own_fields_[p].keys = PackedKeys(file.part(fmt::format("part{}", p)), "by_row", rows,
                                         own_fields_[p].codec->span());
    }
    set_maps();
  }

  void encode_rows(const ColumnView& column, std::size_t first, std::size_t count,
                   std::uint64_t* keys) const override {
    row_encoder(column)(first, count, keys);
  }

  [[nodiscard]] RowEncoder row_encoder(const ColumnView& column) const override {
    const std::size_t packed = std::min(own_fields_.size(), fields_.first_compared + 1);
    std::vector<RowEncoder> encoders;
    for (std::size_t p = 0; p < packed; ++p)
      encoders.push_back(own_fields_[p].codec->row_encoder(column.parts()[p]));
    return [this, encoders = std::move(encoders)](std::size_t first, std::size_t count,
                                                  std::uint64_t* keys) {
      std::fill_n(keys, count, 0);
      std::vector<std::uint64_t> own(count);
      for (std::size_t p = 0; p < encoders.size(); ++p) {
        encoders[p](first, count, own.data());
        for (std::size_t i = 0; i < count; ++i)
          keys[i] = append_field(keys[i], fields_.fields[p], own[i]);
      }
      for (std::size_t i = 0; i < count; ++i) keys[i] -= map_.base;
    };
  }

  [[nodiscard]] OwnedColumn decode(const EncodedColumn& encoded) const override {
    std::vector<OwnedColumn> columns;
    int behind = 0;
    for (const CodecField& field : fields_.fields) behind += field.bits;
    for (std::size_t p = 0; p < own_fields_.size(); ++p) {
      const CompositeField& field = own_fields_[p];
      const int bits = fields_.fields[p].bits;
      behind -= bits;
      EncodedColumn own;
      own.row_count = encoded.row_count;
      own.span = field.codec->span();
      own.keys = PackedKeys(encoded.size(), own.span);
      own.rows = Array<std::uint32_t>(encoded.size());
      for (std::size_t i = 0; i < encoded.size(); ++i) {
        const std::size_t element = rows_.element(encoded.row(i));
        own.rows[i] = static_cast<std::uint32_t>(element);
        own.keys.set(i, p >= fields_.first_compared
                            ? field.keys.get()[element]
                            : extract_field(encoded.keys[i] + map_.base, bits, behind));
      }
      columns.push_back(field.codec->decode(own));
    }
    OwnedColumn column = OwnedColumn::composite(std::move(columns));
    column.set_all_valid();
    return column;
  }

  // Field by field for blocks of lookups whose fields have values that the column's can have; one
  // by one for other lookups.
  void encode_lookups(const ColumnView& lower, const ColumnView& upper, RangeEnds ends,
                      std::size_t first, std::size_t count, Interval* intervals,
                      std::uint8_t* checks) const override {
    if (has_residual() || empty())
      return KeyCodec::encode_lookups(lower, upper, ends, first, count, intervals, checks);
    for (std::size_t done = 0; done < count; done += PackedEnds::max_lookups) {
      const std::size_t size = std::min(PackedEnds::max_lookups, count - done);
      encode_block(lower, upper, ends, first + done, size, intervals + done);
    }
  }

  [[nodiscard]] EncodedEnds encode_ends(const ColumnView& lookups, std::size_t i) const override {
    const PackedFields fields{fields_.fields, fields_.fields.size(), fields_.first_compared};
    const std::size_t count = lookups.parts().size();
    const auto ends_of = [&](std::size_t p) {
      return own_fields_[p].codec->encode_ends(lookups.parts()[p], i);
    };
    return {encode_packed<true>(map_, packed_end<true>(fields, count, ends_of)),
            encode_packed<false>(map_, packed_end<false>(fields, count, ends_of))};
  }

 private:
  void save_own(FileWriter& file) const override {
    file.number("parts", own_fields_.size());
    for (std::size_t p = 0; p < own_fields_.size(); ++p) {
      FileWriter field = file.part(fmt::format("part{}", p));
      own_fields_[p].codec->save(field);
      if (p >= fields_.first_compared) own_fields_[p].keys.get().save(field, "by_row");
    }
  }

  void add(std::unique_ptr<KeyCodec> codec) {
    part_types_.push_back(codec->type());
    const auto native = codec->native_map();
    CodecField& field =
        fields_.fields.emplace_back(native ? CodecField{*native} : codec->fields().fields.front());
    field.bits = 0;
    fields_.first_compared = fields_.fields.size();
    own_fields_.emplace_back().codec = std::move(codec);
  }

  // Gives each field its bits. The first field that does not fit whole, or that itself compares in
  // the hit, is the last one packed.
  void lay_out() {
    int left = 64;
    for (std::size_t p = 0; p < own_fields_.size() && !has_residual(); ++p) {
      CodecField& field = fields_.fields[p];
      const KeyCodec& codec = *own_fields_[p].codec;
      const auto wanted = static_cast<int>(std::bit_width(codec.span()));
      field.bits = std::min(wanted, left);
      field.dropped = wanted - field.bits;
      left -= field.bits;
      if (field.dropped == 0 && !codec.has_residual()) continue;
      fields_.first_compared = p;
      comparer_ = std::make_unique<CompositeComparer>(rows_, std::span(own_fields_).subspan(p), p);
    }
    for (std::size_t p = fields_.first_compared; p < own_fields_.size(); ++p)
      fields_.fields[p].keys = &own_fields_[p].keys;
  }

  void keep_residual(const ColumnView& column) {
    for (std::size_t p = fields_.first_compared; p < own_fields_.size(); ++p) {
      const KeyCodec& codec = *own_fields_[p].codec;
      PackedKeys kept(column.size(), codec.span());
      const RowEncoder encoder = codec.row_encoder(column.parts()[p]);
      parallel_for(column.size(), block_rows, [&](std::size_t first, std::size_t count) {
        std::uint64_t keys[block_rows];
        encoder(first, count, keys);
        for (std::size_t i = 0; i < count; ++i) kept.set(first + i, keys[i]);
      });
      own_fields_[p].keys = std::move(kept);
    }
  }

  [[nodiscard]] KeyExtent extent_of(const ColumnView& column) const {
    const RowEncoder encoder = row_encoder(column);
    return parallel_reduce(
        column.size(), block_rows, KeyExtent{},
        [&](std::size_t first, std::size_t count) {
          KeyExtent here;
          std::uint64_t keys[block_rows];
          encoder(first, count, keys);
          for (std::size_t i = 0; i < count; ++i)
            if (column.valid(first + i)) here.add(keys[i]);
          return here;
        },
        KeyExtent::union_of);
  }

  void set_maps() {
    fields_.base = map_.base;
    const bool are_native = std::ranges::all_of(part_types_, is_native);
    if (has_residual() || !are_native || part_types_.size() > PackedMap::max_fields) return;
    constexpr StringMap no_dictionaries[PackedMap::max_fields] = {};
    packed_map_ = packed_map_of(fields_, no_dictionaries);
    packed_map_->span = map_.span;
    packed_map_->empty = map_.empty;
  }

  void pack_ends(const ColumnView& lookups, std::size_t first, std::size_t count,
                 PackedEnds& ends) const {
    std::fill_n(ends.first, count, 0);
    std::fill_n(ends.is_known, count, true);
    Interval own[PackedEnds::max_lookups];
    int behind = 0;
    for (std::size_t p = 0; p < own_fields_.size(); ++p) {
      const int bits = fields_.fields[p].bits;
      if (p >= lookups.parts().size()) {
        behind += bits;
        continue;
      }
      const ColumnView& elements = lookups.parts()[p];
      own_fields_[p].codec->encode_lookups(elements, elements, {}, first, count, own, nullptr);
      for (std::size_t i = 0; i < count; ++i) {
        ends.is_known[i] = ends.is_known[i] && !own[i].empty();
        ends.first[i] = shift_left(ends.first[i], bits) | own[i].lower;
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      ends.last[i] = last_with(ends.first[i], behind);
      ends.first[i] = shift_left(ends.first[i], behind);
    }
  }

  void encode_block(const ColumnView& lower, const ColumnView& upper, RangeEnds ends,
                    std::size_t first, std::size_t count, Interval* intervals) const {
    PackedEnds low;
    PackedEnds high;
    const bool has_lower = lower.has_value();
    const bool has_upper = upper.has_value();
    if (has_lower) pack_ends(lower, first, count, low);
    if (has_upper && &lower != &upper) pack_ends(upper, first, count, high);
    const PackedEnds& high_ends = &lower == &upper ? low : high;
    const RangeEnds open{has_lower && ends.lower_open, has_upper && ends.upper_open};
    const bool has_nulls = lower.nullable() || upper.nullable();
    for (std::size_t i = 0; i < count; ++i) {
      const bool is_null = has_nulls && !(lower.valid(first + i) && upper.valid(first + i));
      if (is_null || (has_lower && !low.is_known[i]) || (has_upper && !high_ends.is_known[i])) {
        KeyCodec::encode_lookups(lower, upper, ends, first + i, 1, intervals + i, nullptr);
        continue;
      }
      std::uint64_t from = map_.base;
      std::uint64_t to = map_.base + map_.span;
      if (has_lower) from = ends.lower_open ? low.last[i] : low.first[i];
      if (has_upper) to = ends.upper_open ? high_ends.first[i] : high_ends.last[i];
      intervals[i] = range_at(map_.base, map_.span, from, to, open);
    }
  }

  std::vector<CompositeField> own_fields_;
};

}  // namespace

std::unique_ptr<KeyCodec> make_composite_codec(const ColumnView& column) {
  return std::make_unique<CompositeCodec>(column);
}

std::unique_ptr<KeyCodec> make_composite_codec(std::vector<std::unique_ptr<KeyCodec>> fields,
                                               const PackedSource& source) {
  return std::make_unique<CompositeCodec>(std::move(fields), source);
}

std::unique_ptr<KeyCodec> make_composite_codec(const FileReader& file, std::size_t rows) {
  return std::make_unique<CompositeCodec>(file, rows);
}

}  // namespace rtindex
