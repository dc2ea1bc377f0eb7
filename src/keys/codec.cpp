#include "keys/codec.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "keys/codecs.hpp"
#include "keys/interval_codec.hpp"
#include "keys/point_codec.hpp"

namespace rtindex {

namespace {

constexpr std::size_t encode_grain = std::size_t{1} << 14;
constexpr std::size_t encode_block = 512;

std::unique_ptr<KeyCodec> new_codec(const ColumnView& column, KeyUse use) {
  if (column.type() == Type::string) return make_string_codec(column, use);
  if (column.interval_ends()) return std::make_unique<IntervalCodec>(column);
  if (column.are_points()) return std::make_unique<PointCodec>(column);
  if (column.type() == Type::composite) return make_composite_codec(column);
  if (is_128_bit(column.type())) return make_128_bit_codec(column);
  return make_native_codec(column);
}

// Only codecs that compare in full need the rowIDs of the elements, and save them.
RowNumbers saved_rows(const FileReader& file, std::size_t elements, std::size_t rows) {
  if (!file.has("elements")) return {0, elements};
  if (file.flag("rows_listed")) return RowNumbers(file.array<std::uint32_t>("rows", elements));
  return {static_cast<std::uint32_t>(file.number("first_row", rows)), elements};
}

std::unique_ptr<KeyCodec> saved_codec(const FileReader& file, std::size_t elements) {
  const std::string& name = file.text("type");
  if (name == name_of(Type::string)) return make_string_codec(file, elements);
  if (file.has("point_columns")) return std::make_unique<PointCodec>(file, elements);
  if (file.has("interval_ends")) return std::make_unique<IntervalCodec>(file, elements);
  if (name == name_of(Type::composite)) return make_composite_codec(file, elements);
  const std::optional<Type> type = find_type(name);
  if (type && is_native(*type)) return make_native_codec(*type, file);
  if (type && is_128_bit(*type)) return make_128_bit_codec(*type, file, elements);
  file.reject("its keys are of the unknown type '{}'", name);
}

}  // namespace

std::unique_ptr<KeyCodec> KeyCodec::for_column(const ColumnView& column, KeyUse use) {
  std::unique_ptr<KeyCodec> codec = new_codec(column, use);
  codec->number_rows(RowNumbers(0, column.size()));
  return codec;
}

std::unique_ptr<KeyCodec> KeyCodec::from_file(const FileReader& file, std::size_t rows) {
  const std::size_t elements = file.has("elements") ? file.number("elements", rows) : rows;
  std::unique_ptr<KeyCodec> codec = saved_codec(file, elements);
  if (codec->has_residual() && elements == 0) file.reject("its full keys are missing");
  codec->number_rows(saved_rows(file, elements, rows));
  return codec;
}

KeyCodec::KeyCodec(Type type, const FileReader& file) : KeyCodec(type) {
  // float16 is encoded as float32.
  const int bits = type == Type::f16 ? 32
                   : is_native(type) ? 8 * static_cast<int>(width_of(type))
                                     : 64;
  const std::uint64_t largest = std::numeric_limits<std::uint64_t>::max() >> (64 - bits);
  map_.base = file.number("base", largest);
  map_.span = file.number("span", largest - map_.base);
  map_.empty = file.flag("empty");
}

void KeyCodec::save(FileWriter file) const {
  file.text("type", std::string(name_of(type_)));
  file.number("base", map_.base);
  file.number("span", map_.span);
  file.number("empty", map_.empty ? 1 : 0);
  if (has_residual()) {
    file.number("elements", rows_.size());
    file.number("first_row", rows_.first());
    file.number("rows_listed", rows_.listed() ? 1 : 0);
    if (rows_.listed()) file.array("rows", rows_.list());
  }
  save_own(file);
}

void KeyCodec::set_extent(const KeyExtent& extent) {
  map_.empty = extent.empty();
  if (map_.empty) return;
  map_.base = extent.smallest;
  map_.span = extent.largest - extent.smallest;
}

std::size_t KeyCodec::bytes() const {
  const auto loaded_bytes = [](const auto* kept) {
    const auto* const loaded = kept == nullptr ? nullptr : kept->if_there();
    return loaded == nullptr ? 0 : loaded->bytes();
  };
  std::size_t bytes = 0;
  for (const CodecField& field : fields_.fields)
    bytes += (field.dictionary == nullptr ? 0 : field.dictionary->bytes()) + field.prefix.size() +
             loaded_bytes(field.tails) + loaded_bytes(field.keys) + loaded_bytes(field.low);
  return bytes;
}

std::string KeyCodec::describe(std::span<const KeyForm> forms) const {
  if (const IntervalCodec* const intervals = interval_codec(*this))
    return intervals->describe_intervals();
  if (const PointCodec* const points = point_codec(*this)) return points->describe_points(forms);
  if (type_ == Type::composite) {
    std::string text;
    for (std::size_t p = 0; p < part_types_.size(); ++p)
      text += fmt::format("{} {} ({} bits of the key)", p == 0 ? "composite of" : ",",
                          name_of(part_types_[p]), fields_.fields[p].bits);
    return text + (has_residual() ? "; the rest is compared in the hit" : "");
  }
  const StringDictionary* const dictionary =
      type_ == Type::string ? fields_.fields.front().dictionary : nullptr;
  if (type_ == Type::string && dictionary == nullptr)
    return "string, hashed; the string is compared in the hit";
  if (empty()) return fmt::format("{}, no valid keys", name_of(type_));
  if (is_128_bit(type_))
    return fmt::format("{}{}", name_of(type_),
                       has_residual() ? ", the lowest bits are compared in the hit" : "");
  if (dictionary == nullptr)
    return visit_native(type_, [&]<class T>() {
      const std::array ends{T{from_ordered_bits<value_t<T>>(map_.base)},
                            T{from_ordered_bits<value_t<T>>(map_.base + map_.span)}};
      const KeyForm form = forms.empty() ? KeyForm{} : forms.front();
      ColumnView keys = ColumnView::of(type_, ends.data(), ends.size());
      if (has_time_unit(type_)) keys = keys.with_time_unit(form.time_unit);
      if (is_decimal(type_)) keys = keys.with_scale(form.scale);
      return fmt::format("{} from {} to {}", name_of(type_), keys.text(0), keys.text(1));
    });
  return fmt::format("string, encoded by a dictionary of {} beginnings{}", dictionary->leaves(),
                     has_residual() ? ", long ones are compared in the hit" : "");
}

EncodedColumn KeyCodec::encode(const ColumnView& column, std::size_t row_count) const {
  EncodedColumn encoded;
  encoded.row_count = row_count;
  encoded.span = span();
  const std::size_t blocks = (column.size() + encode_grain - 1) / encode_grain;

  // Where each block's valid rows start among all valid rows.
  std::vector<std::size_t> starts(blocks + 1, 0);
  if (column.nullable()) {
    parallel_for(column.size(), encode_grain, [&](std::size_t first, std::size_t count) {
      std::size_t valid = 0;
      for (std::size_t row = first; row < first + count; ++row) valid += column.valid(row) ? 1 : 0;
      starts[first / encode_grain + 1] = valid;
    });
    for (std::size_t block = 0; block < blocks; ++block) starts[block + 1] += starts[block];
  }
  const bool has_nulls = column.nullable() && starts[blocks] != column.size();
  const bool lists_rows = has_nulls || !rows_.is_identity() || column.size() != row_count;
  if (lists_rows) encoded.rows = Array<std::uint32_t>(has_nulls ? starts[blocks] : column.size());
  encoded.keys = PackedKeys(has_nulls ? starts[blocks] : column.size(), span());

  const RowEncoder encoder = row_encoder(column);
  parallel_for(column.size(), encode_grain, [&](std::size_t first, std::size_t count) {
    std::uint64_t keys[encode_block];
    std::size_t next = has_nulls ? starts[first / encode_grain] : first;
    for (std::size_t begin = first; begin < first + count; begin += encode_block) {
      const std::size_t size = std::min(encode_block, first + count - begin);
      encoder(begin, size, keys);
      for (std::size_t i = 0; i < size; ++i) {
        if (has_nulls && !column.valid(begin + i)) continue;
        if (lists_rows) encoded.rows[next] = rows_.row(begin + i);
        encoded.keys.set(next++, keys[i]);
      }
    }
  });
  return encoded;
}

RowEncoder KeyCodec::row_encoder(const ColumnView& column) const {
  const ColumnView* const values = column.dictionary_values();
  // A change of a few rows can have a large dictionary.
  if (values == nullptr || values->size() > column.size())
    return [this, column](std::size_t first, std::size_t count, std::uint64_t* keys) {
      encode_rows(column, first, count, keys);
    };
  auto of_values = std::make_shared<std::vector<std::uint64_t>>(values->size() + 1);
  parallel_for(values->size(), encode_grain, [&](std::size_t first, std::size_t count) {
    encode_rows(*values, first, count, of_values->data() + first);
  });
  return [of_values = std::move(of_values), positions = column.dictionary_positions()](
             std::size_t first, std::size_t count, std::uint64_t* keys) {
    const std::uint64_t* const encoded = of_values->data();
    for (std::size_t i = 0; i < count; ++i) keys[i] = encoded[positions[first + i]];
  };
}

OwnedColumn KeyCodec::null_column(std::size_t size) const {
  if (type_ != Type::composite) return {type_, size};
  std::vector<OwnedColumn> fields;
  for (const Type type : part_types_) fields.emplace_back(type, size);
  return are_points_ ? OwnedColumn::points(std::move(fields))
                     : OwnedColumn::composite(std::move(fields));
}

void KeyCodec::require_comparable(const ColumnView& lookups) const {
  const auto require = [](Type column, Type type) {
    if (comparable(column, type)) return;
    if (column == Type::string)
      fail("{} keys cannot be compared with a string column: pass strings", name_of(type));
    const std::string_view name = name_of(column);
    fail("{} keys cannot be compared with {} {} column: convert them to {} first", name_of(type),
         name.starts_with('i') ? "an" : "a", name, name);
  };
  if (type_ != Type::composite) return require(type_, lookups.type());
  if (lookups.type() != Type::composite)
    fail("{} keys cannot be compared with a composite column: pass composite keys of {} parts",
         name_of(lookups.type()), part_types_.size());
  if (lookups.parts().size() > part_types_.size())
    fail("the lookups have {} parts but the composite column has {}", lookups.parts().size(),
         part_types_.size());
  for (std::size_t p = 0; p < lookups.parts().size(); ++p)
    require(part_types_[p], lookups.parts()[p].type());
}

void KeyCodec::encode_lookups(const ColumnView& lower, const ColumnView& upper, RangeEnds ends,
                              std::size_t first, std::size_t count, Interval* intervals,
                              std::uint8_t* checks) const {
  // Points are encoded once.
  const bool are_points = &lower == &upper && !ends.any_open();
  const auto encode = [&](std::size_t i, std::uint8_t& check) {
    Bound low;
    Bound high{span()};
    if (lower.has_value()) {
      const EncodedEnds own = encode_ends(lower, i);
      if (are_points) return interval_between(own.lower, own.upper, check);
      low = ends.lower_open ? bound_above(own.upper, span()) : own.lower;
    }
    if (upper.has_value() && upper.valid(i)) {
      const EncodedEnds own = encode_ends(upper, i);
      high = ends.upper_open ? bound_below(own.lower, span()) : own.upper;
    }
    return interval_between(low, high, check);
  };
  for (std::size_t i = 0; i < count; ++i) {
    std::uint8_t check = check_none;
    const bool has_both =
        lower.valid(first + i) && (upper.valid(first + i) || ends.null_upper_is_none);
    intervals[i] = has_both && !empty() ? encode(first + i, check) : empty_interval;
    if (checks != nullptr) checks[i] = check;
  }
}

int KeyCodec::compare(std::uint32_t row, std::uint64_t key, const ColumnView& lookups,
                      std::size_t i) const {
  const EncodedEnds own = encode_ends(lookups, i);
  if (own.lower.none || key < own.lower.key) return -1;
  if (own.upper.none || key > own.upper.key) return 1;
  const bool is_compared = own.lower.check || own.upper.check;
  return is_compared ? comparer_->compare_residual(row, lookups, i) : 0;
}

std::optional<std::uint64_t> KeyCodec::encode_update(const ColumnView& keys,
                                                     std::uint64_t* encoded) const {
  if (!is_native(type_)) return std::nullopt;
  const KeyExtent extent = encode_new_keys(type_, map_, keys, encoded);
  if (extent.empty()) return span();
  if (empty() || extent.smallest < map_.base) return std::nullopt;
  return std::max(span(), extent.largest - map_.base);
}

}  // namespace rtindex
