#include "keys/codec.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "base/types.hpp"
#include "keys/codec_parts.hpp"
#include "keys/codecs.hpp"

namespace rtindex {

namespace {

constexpr std::size_t encode_grain = std::size_t{1} << 14;
constexpr std::size_t encode_block = 512;

std::unique_ptr<KeyCodec> new_codec(const ColumnView& column, KeyUse use) {
  if (column.type() == Type::string) return make_string_codec(column, use);
  if (column.type() == Type::composite) return make_composite_codec(column);
  return make_native_codec(column);
}

// The rowIDs of the elements, which only the comparison in full needs: other codecs do not save
// them.
RowNumbers saved_rows(const FileReader& file, std::size_t elements, std::size_t rows) {
  if (!file.has("elements")) return {0, elements};
  if (file.flag("rows_listed")) return RowNumbers(file.array<std::uint32_t>("rows", elements));
  return {static_cast<std::uint32_t>(file.number("first_row", rows)), elements};
}

std::unique_ptr<KeyCodec> saved_codec(const FileReader& file, std::size_t elements) {
  const std::string& name = file.text("type");
  if (name == name_of(Type::string)) return make_string_codec(file, elements);
  if (name == name_of(Type::composite)) return make_composite_codec(file, elements);
  for (auto type = Type::u8; is_native(type);
       type = static_cast<Type>(static_cast<std::uint8_t>(type) + 1))
    if (name == name_of(type)) return make_native_codec(type, file);
  file.refuse("its keys are of the unknown type '{}'", name);
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
  if (codec->has_residual() && elements == 0) file.refuse("its full keys are missing");
  codec->number_rows(saved_rows(file, elements, rows));
  return codec;
}

KeyCodec::KeyCodec(const FileReader& file)
    : span_(file.number("span")), empty_(file.flag("empty")) {}

void KeyCodec::save(FileWriter file) const {
  file.text("type", std::string(name_of(type())));
  file.number("span", span_);
  file.number("empty", empty_ ? 1 : 0);
  if (has_residual_) {
    file.number("elements", rows_.size());
    file.number("first_row", rows_.first());
    file.number("rows_listed", rows_.listed() ? 1 : 0);
    if (rows_.listed()) file.array("rows", rows_.list());
  }
  save_own(file);
}

EncodedColumn KeyCodec::encode(const ColumnView& column, std::size_t row_count) const {
  EncodedColumn encoded;
  encoded.row_count = row_count;
  encoded.span = span_;
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
  encoded.keys = PackedKeys(has_nulls ? starts[blocks] : column.size(), span_);

  parallel_for(column.size(), encode_grain, [&](std::size_t first, std::size_t count) {
    std::uint64_t keys[encode_block];
    std::size_t next = has_nulls ? starts[first / encode_grain] : first;
    for (std::size_t begin = first; begin < first + count; begin += encode_block) {
      const std::size_t size = std::min(encode_block, first + count - begin);
      encode_rows(column, begin, size, keys);
      for (std::size_t i = 0; i < size; ++i) {
        if (has_nulls && !column.valid(begin + i)) continue;
        if (lists_rows) encoded.rows[next] = rows_.row(begin + i);
        encoded.keys.set(next++, keys[i]);
      }
    }
  });
  return encoded;
}

OwnedColumn KeyCodec::null_column(std::size_t size) const {
  if (type() != Type::composite) return {type(), size};
  std::vector<OwnedColumn> parts;
  for (const Type type : part_types()) parts.emplace_back(type, size);
  return OwnedColumn::composite(std::move(parts));
}

// Points are encoded once.
void KeyCodec::encode_lookups(const ColumnView& lower, const ColumnView& upper, RangeEnds ends,
                              std::size_t first, std::size_t count, Interval* intervals,
                              std::uint8_t* checks) const {
  const bool are_points = &lower == &upper && !ends.any_open();
  const auto encode = [&](std::size_t i, std::uint8_t& check) {
    Bound low;
    Bound high{span_};
    if (lower.has_value()) {
      const EncodedEnds own = encode_ends(lower, i);
      if (are_points) return interval_between(own.lower, own.upper, check);
      low = ends.lower_open ? bound_above(own.upper, span_) : own.lower;
    }
    if (upper.has_value() && upper.valid(i)) {
      const EncodedEnds own = encode_ends(upper, i);
      high = ends.upper_open ? bound_below(own.lower, span_) : own.upper;
    }
    return interval_between(low, high, check);
  };
  for (std::size_t i = 0; i < count; ++i) {
    std::uint8_t check = check_none;
    const bool has_both =
        lower.valid(first + i) && (upper.valid(first + i) || ends.null_upper_is_none);
    intervals[i] = has_both && !empty_ ? encode(first + i, check) : empty_interval;
    if (checks != nullptr) checks[i] = check;
  }
}

bool KeyCodec::accepts(const ColumnView& lower, const ColumnView& upper, RangeEnds ends,
                       std::size_t i, Interval interval, std::uint8_t checks, std::uint32_t row,
                       std::uint64_t key) const {
  if ((checks & check_lower) != 0 && key == interval.lower &&
      compare_residual(row, lower, i) < (ends.lower_open ? 1 : 0))
    return false;
  return (checks & check_upper) == 0 || key != interval.upper ||
         compare_residual(row, upper, i) <= (ends.upper_open ? -1 : 0);
}

std::optional<CodecParts> KeyCodec::parts() const { return std::nullopt; }

int KeyCodec::compare_residual(std::uint32_t, const ColumnView&, std::size_t) const { return 0; }

void KeyCodec::prefetch_residual(std::uint32_t, int) const {}

int KeyCodec::compare_rows(std::uint32_t, std::uint32_t) const { return 0; }

int KeyCodec::compare(std::uint32_t row, std::uint64_t key, const ColumnView& lookups,
                      std::size_t i) const {
  const EncodedEnds own = encode_ends(lookups, i);
  if (own.lower.none || key < own.lower.key) return -1;
  if (own.upper.none || key > own.upper.key) return 1;
  return own.lower.check || own.upper.check ? compare_residual(row, lookups, i) : 0;
}

}  // namespace rtindex
