#include "column.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

namespace rtindex::python {

namespace {

// Concatenating this many keys takes microseconds, as long as one call.
constexpr std::size_t min_batch = 1 << 14;

std::size_t size_of(std::span<const ColumnView> pieces) {
  std::size_t size = 0;
  for (const ColumnView& piece : pieces) size += piece.size();
  return size;
}

OwnedView concatenated_elements(std::span<const ColumnView> pieces) {
  const Type type = pieces.front().type();
  const std::size_t width = width_of(type);
  auto bytes = std::make_shared<std::vector<std::uint8_t>>(size_of(pieces) * width);
  std::uint8_t* next = bytes->data();
  for (const ColumnView& piece : pieces) {
    if (piece.empty()) continue;
    std::memcpy(next, piece.data(), piece.size() * width);
    next += piece.size() * width;
  }
  const ColumnView joined = ColumnView::of(type, bytes->data(), bytes->size() / width);
  return {is_decimal(type) ? joined.with_scale(pieces.front().scale()) : joined, {bytes}};
}

// The bytes stay in place; the new array holds views of them.
OwnedView concatenated_strings(std::span<const ColumnView> pieces) {
  auto strings = std::make_shared<std::vector<std::string_view>>();
  strings->reserve(size_of(pieces));
  for (const ColumnView& piece : pieces)
    for (std::size_t row = 0; row < piece.size(); ++row)
      strings->push_back(piece.valid(row) ? piece.string(row) : std::string_view());
  return {ColumnView(*strings), {strings}};
}

// Adds one bitmap for all pieces, if one of them has nulls.
void concatenate_validity(std::span<const ColumnView> pieces, OwnedView& joined) {
  const bool nullable = std::any_of(pieces.begin(), pieces.end(),
                                    [](const ColumnView& piece) { return piece.nullable(); });
  if (!nullable) return;
  auto bitmap = std::make_shared<std::vector<std::uint8_t>>((joined.view.size() + 7) / 8);
  std::size_t next = 0;
  for (const ColumnView& piece : pieces)
    for (std::size_t row = 0; row < piece.size(); ++row, ++next)
      if (piece.valid(row)) (*bitmap)[next / 8] |= static_cast<std::uint8_t>(1U << (next % 8));
  joined.view = joined.view.with_validity(bitmap->data());
  joined.owners.push_back(std::move(bitmap));
}

OwnedView concatenated(std::span<const ColumnView> pieces);

OwnedView concatenated_parts(std::span<const ColumnView> pieces) {
  OwnedView joined;
  std::vector<ColumnView> parts;
  for (std::size_t part = 0; part < pieces.front().parts().size(); ++part) {
    std::vector<ColumnView> of_part;
    of_part.reserve(pieces.size());
    for (const ColumnView& piece : pieces) of_part.push_back(piece.parts()[part]);
    OwnedView one = concatenated(of_part);
    parts.push_back(std::move(one.view));
    std::move(one.owners.begin(), one.owners.end(), std::back_inserter(joined.owners));
  }
  joined.view = ColumnView::composite(std::move(parts));
  return joined;
}

OwnedView concatenated(std::span<const ColumnView> pieces) {
  if (pieces.size() == 1) return {pieces.front(), {}};
  const Type type = pieces.front().type();
  OwnedView joined = type == Type::string      ? concatenated_strings(pieces)
                     : type == Type::composite ? concatenated_parts(pieces)
                                               : concatenated_elements(pieces);
  concatenate_validity(pieces, joined);
  return joined;
}

// The unit of that name; unspecified for NumPy's other units, such as "W" and "10ms".
TimeUnit unit_named(std::string_view name) {
  for (const TimeUnit unit : {TimeUnit::day, TimeUnit::hour, TimeUnit::minute, TimeUnit::second,
                              TimeUnit::millisecond, TimeUnit::microsecond, TimeUnit::nanosecond})
    if (name_of(unit) == name) return unit;
  return TimeUnit::unspecified;
}

// Leading columns, starts and ends.
ColumnView intervals_of(std::vector<ColumnView> parts, Ends ends) {
  const ColumnView end = parts.back();
  parts.pop_back();
  const ColumnView start = parts.back();
  parts.pop_back();
  return ColumnView::intervals(start, end, ends, std::move(parts));
}

ColumnView shaped(std::vector<ColumnView> parts, const CompositeShape& shape) {
  if (shape.are_points) return ColumnView::points(std::move(parts));
  return shape.interval_ends ? intervals_of(std::move(parts), *shape.interval_ends)
                             : ColumnView::composite(std::move(parts));
}

}  // namespace

std::string joined_units(const std::vector<std::string>& units) {
  std::string joined;
  for (const std::string& unit : units) joined += "," + unit;
  const bool has_units = joined.find_first_not_of(',') != std::string::npos;
  return has_units ? joined.substr(1) : "";
}

ColumnView with_units(const ColumnView& column, std::string_view units) {
  if (has_time_unit(column.type())) return column.with_time_unit(unit_named(units));
  if (column.type() != Type::composite || units.empty()) return column;
  std::vector<ColumnView> parts(column.parts().begin(), column.parts().end());
  for (ColumnView& part : parts) {
    const std::string_view unit = units.substr(0, units.find(','));
    units.remove_prefix(std::min(unit.size() + 1, units.size()));
    if (has_time_unit(part.type())) part = part.with_time_unit(unit_named(unit));
  }
  return shaped(std::move(parts), {column.interval_ends(), column.are_points()})
      .with_validity(column.validity(), column.validity_offset());
}

std::size_t Column::address() const {
  return pieces_.empty() ? 0 : reinterpret_cast<std::size_t>(pieces_.front().data());
}

OwnedView as_one_view(const Column& column) { return concatenated(column.pieces()); }

std::vector<OwnedView> batches(const Column& column) {
  const std::span<const ColumnView> pieces = column.pieces();
  std::vector<OwnedView> batches;
  for (std::size_t first = 0; first < pieces.size();) {
    std::size_t last = first;
    std::size_t size = 0;
    while (last < pieces.size() && size < min_batch) size += pieces[last++].size();
    batches.push_back(concatenated(pieces.subspan(first, last - first)));
    first = last;
  }
  return batches;
}

Column repeated(const Column& column, std::size_t count) {
  Column result(column.type(), column.unit());
  result.set_rounded(column.rounded());
  OwnedView held = as_one_view(column);
  while (held.view.size() < count) {
    const std::vector<ColumnView> twice(2, held.view);
    OwnedView doubled = concatenated(twice);
    for (Owner& owner : held.owners) result.keep(std::move(owner));
    held = std::move(doubled);
  }
  for (Owner& owner : held.owners) result.keep(std::move(owner));
  for (const Owner& owner : column.owners()) result.keep(owner);
  result.append(held.view.slice(0, count));
  return result;
}

Column composite(const std::vector<const Column*>& parts, const CompositeShape& shape) {
  std::vector<std::string> units;
  std::vector<OwnedView> joined;
  std::vector<ColumnView> views;
  for (const Column* part : parts) {
    units.push_back(part->unit());
    joined.push_back(as_one_view(*part));
    // Only views of Arrow have their unit: the one of the column counts.
    ColumnView view = joined.back().view;
    const bool has_unit = shape.interval_ends && has_time_unit(view.type());
    views.push_back(has_unit ? view.with_time_unit(TimeUnit::unspecified) : std::move(view));
  }
  Column column(Type::composite, joined_units(units));
  column.append(shaped(std::move(views), shape));
  column.set_rounded(!parts.empty() && parts.back()->rounded());
  for (const OwnedView& part : joined)
    for (const Owner& owner : part.owners) column.keep(owner);
  for (const Column* part : parts)
    for (const Owner& owner : part->owners()) column.keep(owner);
  return column;
}

void copy_bits(const std::uint8_t* from, std::size_t count, std::uint8_t* to, std::size_t to_bit) {
  if (to_bit % 8 == 0) {
    std::memcpy(to + to_bit / 8, from, (count + 7) / 8);
    return;
  }
  for (std::size_t i = 0; i < count; ++i, ++to_bit) {
    const auto mask = static_cast<std::uint8_t>(1U << (to_bit % 8));
    const bool bit = ((from[i / 8] >> (i % 8)) & 1) != 0;
    to[to_bit / 8] =
        static_cast<std::uint8_t>(bit ? to[to_bit / 8] | mask : to[to_bit / 8] & ~mask);
  }
}

}  // namespace rtindex::python
