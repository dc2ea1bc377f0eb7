#include "gathered.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include <rtindex/error.hpp>

#include "conversion.hpp"

namespace rtindex::sql {

namespace {

void append_elements(GatheredField& part, const std::byte* data, std::span<const idx_t> rows) {
  const std::size_t width = part.type.width;
  const std::size_t before = part.bytes.size();
  part.bytes.resize(before + rows.size() * width);
  std::byte* out = part.bytes.data() + before;
  if (rows.back() - rows.front() + 1 == rows.size()) {
    std::memcpy(out, data + rows.front() * width, rows.size() * width);
    return;
  }
  for (const idx_t row : rows) {
    std::memcpy(out, data + row * width, width);
    out += width;
  }
}

// Of DECIMALs of up to 4 digits.
void append_widened(GatheredField& part, const void* data, std::span<const idx_t> rows) {
  const auto* elements = static_cast<const std::int16_t*>(data);
  for (const idx_t row : rows) {
    const std::int32_t wide = elements[row];
    const auto bytes = std::as_bytes(std::span(&wide, 1));
    part.bytes.insert(part.bytes.end(), bytes.begin(), bytes.end());
  }
}

void append_words(GatheredField& part, duckdb_logical_type type, const void* data,
                  const std::uint64_t* validity, std::span<const idx_t> rows) {
  if (part.words.empty())
    for (std::uint32_t i = 0; i < duckdb_enum_dictionary_size(type); ++i)
      part.words.push_back(enum_text(type, i));
  for (const idx_t row : rows) {
    if (is_valid(validity, row)) {
      const auto text = std::as_bytes(std::span(part.words[enum_value(type, data, row)]));
      part.bytes.insert(part.bytes.end(), text.begin(), text.end());
    }
    part.ends.push_back(part.bytes.size());
  }
}

void append_strings(GatheredField& part, const duckdb_string_t* strings,
                    const std::uint64_t* validity, std::span<const idx_t> rows) {
  for (const idx_t row : rows) {
    if (is_valid(validity, row)) {
      const auto text = std::as_bytes(std::span(text_of(strings[row])));
      part.bytes.insert(part.bytes.end(), text.begin(), text.end());
    }
    part.ends.push_back(part.bytes.size());
  }
}

void append_nulls(GatheredField& part, std::size_t before, const std::uint64_t* validity,
                  std::span<const idx_t> rows) {
  if (validity == nullptr && part.nulls.empty()) return;
  part.nulls.resize(before);
  for (const idx_t row : rows) part.nulls.push_back(!is_valid(validity, row));
}

template <std::size_t width>
void scatter(const std::byte* from, std::span<const std::uint32_t> slots, std::byte* to) {
  for (std::size_t i = 0; i < slots.size(); ++i)
    std::memcpy(to + std::size_t{slots[i]} * width, from + i * width, width);
}

}  // namespace

void GatheredRows::append(duckdb_data_chunk chunk, idx_t id_vector, std::span<const idx_t> rows) {
  auto* const id_column = duckdb_data_chunk_get_vector(chunk, id_vector);
  const auto* column_ids = static_cast<const std::int64_t*>(duckdb_vector_get_data(id_column));
  const std::uint64_t* ids_validity = duckdb_vector_get_validity(id_column);
  const std::size_t before = ids.size();
  ids.reserve(before + rows.size() > ids.capacity() ? 2 * (before + rows.size()) : 0);
  for (const idx_t row : rows) {
    if (!is_valid(ids_validity, row))
      throw Error("the id of a row is NULL: pass rowid, or another number that every row has");
    ids.push_back(column_ids[row]);
  }
  const idx_t key_count = duckdb_data_chunk_get_column_count(chunk) - id_vector - 1;
  for (idx_t i = 0; i < key_count; ++i) {
    auto* const vector = duckdb_data_chunk_get_vector(chunk, id_vector + 1 + i);
    const LogicalType type(duckdb_vector_get_column_type(vector));
    if (parts.size() == i) parts.push_back({.type = key_type(type.get())});
    GatheredField& part = parts[i];
    const void* data = duckdb_vector_get_data(vector);
    const std::uint64_t* validity = duckdb_vector_get_validity(vector);
    if (part.type.id == DUCKDB_TYPE_ENUM) {
      append_words(part, type.get(), data, validity, rows);
    } else if (part.type.vector_width != part.type.width) {
      append_widened(part, data, rows);
    } else if (part.type.type == Type::string) {
      append_strings(part, static_cast<const duckdb_string_t*>(data), validity, rows);
    } else {
      append_elements(part, static_cast<const std::byte*>(data), rows);
    }
    append_nulls(part, before, validity, rows);
  }
}

AssembledColumn::AssembledColumn(Pieces pieces, Shape shape) : shape_(shape) {
  for (const auto& piece : pieces) rows_ += piece->ids.size();
  if (rows_ >= std::numeric_limits<std::uint32_t>::max())
    throw Error("an index has at most 2^32 - 2 rows, not " + std::to_string(rows_) +
                ": build several, each over a part of the rows");
  slots_.reserve(rows_);
  if (!assign_slots_by_id(pieces)) assign_slots_in_order(pieces);
  const std::size_t part_count = pieces.front()->parts.size();
  for (std::size_t part = 0; part < part_count; ++part)
    parts_.push_back(assembled_field(pieces, part));
  if (shape_ != Shape::intervals) return;
  Field& start = parts_[part_count - 2];
  Field& end = parts_.back();
  const KeyType both = common_type(start.type, end.type);
  convert(start, both);
  convert(end, both);
}

// Starts and ends as SQL's comparisons cast them: dates become midnights, infinite ones stay so.
void AssembledColumn::convert(Field& field, const KeyType& wanted) {
  if (field.type.text() == wanted.text() || wanted.type == Type::string) return;
  KeyType stored = field.type;
  stored.vector_width = stored.width;  // of DECIMALs of up to 4 digits
  const std::size_t count = field.bytes.size() / stored.width;
  std::vector<std::byte> converted(count * wanted.width);
  for (std::size_t row = 0; row < count; ++row) {
    if (!field.validity.empty() && (field.validity[row / 8] >> (row % 8) & 1) == 0) continue;
    std::byte* const to = converted.data() + row * wanted.width;
    if (wanted.is_float()) {
      const double number = double_at(stored, field.bytes.data(), row);
      std::memcpy(to, &number, sizeof number);
      continue;
    }
    auto number = rounded(units_at(stored, field.bytes.data(), row, wanted), wanted, Between::null);
    if (!number)
      throw Error("a " + stored.text() + " of the intervals lies beyond the " + wanted.text() +
                  " at their other end: remove it, or cast both");
    if (wanted.id == DUCKDB_TYPE_UHUGEINT) *number ^= uhugeint_bias;
    std::memcpy(to, &*number, wanted.width);  // little-endian
  }
  field.bytes = std::move(converted);
  field.type = wanted;
}

// Unique and dense ids become rowIDs. Gaps, which deleted rows leave in a table, become null keys.
bool AssembledColumn::assign_slots_by_id(Pieces pieces) {
  const std::size_t max_slots = 2 * rows_ + 1024;
  std::vector<bool> used;
  for (const auto& piece : pieces) {
    for (const std::int64_t id : piece->ids) {
      if (id < 0 || static_cast<std::uint64_t>(id) >= max_slots) return false;
      const auto slot = static_cast<std::uint32_t>(id);
      if (slot >= used.size()) used.resize(std::min(max_slots, slot + used.size() + 1));
      if (used[slot]) return false;
      used[slot] = true;
      slots_.push_back(slot);
    }
  }
  slot_count_ = slots_.empty() ? 0 : std::size_t{*std::ranges::max_element(slots_)} + 1;
  return shape_ != Shape::points || slot_count_ == rows_;
}

void AssembledColumn::assign_slots_in_order(Pieces pieces) {
  std::vector<std::int64_t> ids;
  ids.reserve(rows_);
  for (const auto& piece : pieces) ids.insert(ids.end(), piece->ids.begin(), piece->ids.end());
  std::vector<std::uint32_t> order(rows_);
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](std::uint32_t row) { return ids[row]; });
  slots_.resize(rows_);
  ids_.resize(rows_);
  for (std::size_t slot = 0; slot < rows_; ++slot) {
    slots_[order[slot]] = static_cast<std::uint32_t>(slot);
    ids_[slot] = ids[order[slot]];
  }
  slot_count_ = rows_;
}

AssembledColumn::Field AssembledColumn::assembled_field(Pieces pieces, std::size_t part) const {
  Field to{.type = pieces.front()->parts[part].type};
  const bool nullable = slot_count_ > rows_ || std::ranges::any_of(pieces, [&](const auto& piece) {
                          return !piece->parts[part].nulls.empty();
                        });
  if (nullable) to.validity.resize((slot_count_ + 7) / 8);
  if (to.type.type == Type::string) {
    copy_strings(pieces, part, to);
  } else {
    to.bytes.resize(slot_count_ * to.type.width);
  }
  std::size_t first = 0;
  for (const auto& piece : pieces) {
    const GatheredField& from = piece->parts[part];
    const auto slots = std::span(slots_).subspan(first, piece->ids.size());
    first += slots.size();
    if (to.type.type != Type::string) copy_elements(from, slots, to);
    if (!nullable) continue;
    for (std::size_t i = 0; i < slots.size(); ++i)
      if (i >= from.nulls.size() || !from.nulls[i])
        to.validity[slots[i] / 8] |= static_cast<std::uint8_t>(1U << (slots[i] % 8));
  }
  return to;
}

void AssembledColumn::copy_elements(const GatheredField& from, std::span<const std::uint32_t> slots,
                                    Field& to) {
  switch (to.type.width) {
    case 1: return scatter<1>(from.bytes.data(), slots, to.bytes.data());
    case 2: return scatter<2>(from.bytes.data(), slots, to.bytes.data());
    case 4: return scatter<4>(from.bytes.data(), slots, to.bytes.data());
    case 16: return scatter<16>(from.bytes.data(), slots, to.bytes.data());
    default: return scatter<8>(from.bytes.data(), slots, to.bytes.data());
  }
}

void AssembledColumn::copy_strings(Pieces pieces, std::size_t part, Field& to) const {
  const auto each = [&](auto&& callback) {
    const std::uint32_t* slot = slots_.data();
    for (const auto& piece : pieces) {
      const GatheredField& from = piece->parts[part];
      std::uint64_t begin = 0;
      for (const std::uint64_t end : from.ends) {
        callback(*slot++, std::span(from.bytes).subspan(begin, end - begin));
        begin = end;
      }
    }
  };
  to.offsets.resize(slot_count_ + 1);
  each([&](std::uint32_t slot, auto text) {
    to.offsets[slot + 1] = static_cast<std::int64_t>(text.size());
  });
  std::inclusive_scan(to.offsets.begin(), to.offsets.end(), to.offsets.begin());
  to.bytes.resize(static_cast<std::size_t>(to.offsets.back()));
  each([&](std::uint32_t slot, auto text) {
    std::ranges::copy(text, to.bytes.begin() + to.offsets[slot]);
  });
}

ColumnView AssembledColumn::view(std::optional<Ends> ends) const {
  std::vector<ColumnView> views;
  for (const Field& part : parts_) {
    const KeyType& type = part.type;
    ColumnView view =
        type.type == Type::string
            ? ColumnView::strings(part.offsets, reinterpret_cast<const char*>(part.bytes.data()))
            : ColumnView::of(type.type, part.bytes.data(), slot_count_);
    if (type.unit != TimeUnit::unspecified) view = view.with_time_unit(type.unit);
    if (type.id == DUCKDB_TYPE_DECIMAL) view = view.with_scale(type.scale);
    views.push_back(part.validity.empty() ? view : view.with_validity(part.validity.data()));
  }
  if (ends) {
    const ColumnView end = views.back();
    const ColumnView start = views[views.size() - 2];
    views.resize(views.size() - 2);
    return ColumnView::intervals(start, end, *ends, std::move(views));
  }
  if (shape_ == Shape::points) return ColumnView::points(std::move(views));
  return views.size() == 1 ? views.front() : ColumnView::composite(std::move(views));
}

std::vector<KeyType> AssembledColumn::types() const {
  std::vector<KeyType> types;
  for (const Field& part : parts_) types.push_back(part.type);
  return types;
}

}  // namespace rtindex::sql
