#include "column.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/types.hpp"

namespace rtindex::python {

namespace {

// A call costs microseconds, and so does laying this many keys together.
constexpr std::size_t least_batch = 1 << 14;

std::size_t size_of(std::span<const ColumnView> pieces) {
  std::size_t size = 0;
  for (const ColumnView& piece : pieces) size += piece.size();
  return size;
}

Laid laid_elements(std::span<const ColumnView> pieces) {
  const Type type = pieces.front().type();
  const std::size_t width = width_of(type);
  auto bytes = std::make_shared<std::vector<std::uint8_t>>(size_of(pieces) * width);
  std::uint8_t* next = bytes->data();
  for (const ColumnView& piece : pieces) {
    if (piece.empty()) continue;
    std::memcpy(next, piece.data(), piece.size() * width);
    next += piece.size() * width;
  }
  return {ColumnView::of(type, bytes->data(), bytes->size() / width), {bytes}};
}

// The strings stay where they are; only views of them are laid together.
Laid laid_strings(std::span<const ColumnView> pieces) {
  auto strings = std::make_shared<std::vector<std::string_view>>();
  strings->reserve(size_of(pieces));
  for (const ColumnView& piece : pieces)
    for (std::size_t row = 0; row < piece.size(); ++row)
      strings->push_back(piece.valid(row) ? piece.string(row) : std::string_view());
  return {ColumnView(*strings), {strings}};
}

// Gives the view one bitmap for all pieces, where one of them has nulls.
void carry_validity(std::span<const ColumnView> pieces, Laid& laid) {
  const bool nullable = std::any_of(pieces.begin(), pieces.end(),
                                    [](const ColumnView& piece) { return piece.nullable(); });
  if (!nullable) return;
  auto bitmap = std::make_shared<std::vector<std::uint8_t>>((laid.view.size() + 7) / 8);
  std::size_t next = 0;
  for (const ColumnView& piece : pieces)
    for (std::size_t row = 0; row < piece.size(); ++row, ++next)
      if (piece.valid(row)) (*bitmap)[next / 8] |= static_cast<std::uint8_t>(1U << (next % 8));
  laid.view = laid.view.with_validity(bitmap->data());
  laid.owners.push_back(std::move(bitmap));
}

Laid laid_together(std::span<const ColumnView> pieces);

Laid laid_parts(std::span<const ColumnView> pieces) {
  Laid laid;
  std::vector<ColumnView> parts;
  for (std::size_t part = 0; part < pieces.front().parts().size(); ++part) {
    std::vector<ColumnView> of_part;
    of_part.reserve(pieces.size());
    for (const ColumnView& piece : pieces) of_part.push_back(piece.parts()[part]);
    Laid one = laid_together(of_part);
    parts.push_back(std::move(one.view));
    std::move(one.owners.begin(), one.owners.end(), std::back_inserter(laid.owners));
  }
  laid.view = ColumnView::composite(std::move(parts));
  return laid;
}

Laid laid_together(std::span<const ColumnView> pieces) {
  if (pieces.size() == 1) return {pieces.front(), {}};
  const Type type = pieces.front().type();
  Laid laid = type == Type::string      ? laid_strings(pieces)
              : type == Type::composite ? laid_parts(pieces)
                                        : laid_elements(pieces);
  carry_validity(pieces, laid);
  return laid;
}

template <class To, class From>
std::shared_ptr<std::vector<To>> converted(const ColumnView& days) {
  auto result = std::make_shared<std::vector<To>>(days.size());
  const auto* from = static_cast<const From*>(days.data());
  for (std::size_t i = 0; i < days.size(); ++i) {
    if (!days.valid(i)) continue;
    if (!std::in_range<To>(from[i]))
      fail("day {} of the batch is too far from 1970 for the column's dates: leave it out", i);
    (*result)[i] = static_cast<To>(from[i]);
  }
  return result;
}

}  // namespace

std::size_t Column::address() const {
  return pieces_.empty() ? 0 : reinterpret_cast<std::size_t>(pieces_.front().data());
}

Laid whole(const Column& column) { return laid_together(column.pieces()); }

std::vector<Laid> batches(const Column& column) {
  const std::span<const ColumnView> pieces = column.pieces();
  std::vector<Laid> batches;
  for (std::size_t first = 0; first < pieces.size();) {
    std::size_t last = first;
    std::size_t size = 0;
    while (last < pieces.size() && size < least_batch) size += pieces[last++].size();
    batches.push_back(laid_together(pieces.subspan(first, last - first)));
    first = last;
  }
  return batches;
}

Column composite(const std::vector<const Column*>& parts) {
  std::string units;
  std::vector<Laid> laid;
  std::vector<ColumnView> views;
  for (const Column* part : parts) {
    if (part->on_device())
      fail("a part of the composite key lies in the memory of a GPU: copy it to the host first");
    units += (part == parts.front() ? "" : ",") + part->unit();
    laid.push_back(whole(*part));
    views.push_back(laid.back().view);
  }
  const bool has_units = units.find_first_not_of(',') != std::string::npos;
  Column column(Type::composite, has_units ? units : "");
  column.append(ColumnView::composite(std::move(views)));
  for (const Laid& part : laid)
    for (const Owner& owner : part.owners) column.keep(owner);
  for (const Column* part : parts)
    for (const Owner& owner : part->owners()) column.keep(owner);
  return column;
}

Column converted_days(const Column& column) {
  const bool to_dates = column.type() == Type::timestamp64;
  const Laid days = whole(column);
  Laid result;
  if (to_dates) {
    auto dates = converted<std::int32_t, std::int64_t>(days.view);
    result = {ColumnView::dates(*dates), {dates}};
  } else {
    auto ticks = converted<std::int64_t, std::int32_t>(days.view);
    result = {ColumnView::timestamps(*ticks), {ticks}};
  }
  carry_validity({&days.view, 1}, result);
  Column other(to_dates ? Type::date32 : Type::timestamp64, to_dates ? "" : "D");
  other.append(std::move(result.view));
  for (Owner& owner : result.owners) other.keep(std::move(owner));
  return other;
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
