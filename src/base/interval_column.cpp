#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <rtindex/column.hpp>

#include "base/column_memory.hpp"
#include "base/error.hpp"
#include "base/types.hpp"

// Columns of intervals: starts and ends of one type.
namespace rtindex {

namespace {

// A type with what belongs to it, for messages: "timestamp[ms]".
std::string type_text(const ColumnView& column) {
  std::string text(name_of(column.type()));
  if (!name_of(column.time_unit()).empty())
    text += fmt::format("[{}]", name_of(column.time_unit()));
  if (is_decimal(column.type())) text += fmt::format(" with a scale of {}", column.scale());
  return text;
}

bool is_signed(Type type) { return type >= Type::i8 && type <= Type::i64; }

// The smallest type that holds all values of both; none where there is none.
std::optional<Type> common_type(Type a, Type b) {
  if (is_float(a) && is_float(b)) return width_of(a) < width_of(b) ? b : a;
  if (a > Type::i64 || b > Type::i64) return std::nullopt;
  if (is_signed(a) == is_signed(b)) return std::max(a, b);
  const Type whole = is_signed(a) ? a : b;
  const Type natural = is_signed(a) ? b : a;
  for (const Type type : {Type::i16, Type::i32, Type::i64})
    if (type >= whole && width_of(type) > width_of(natural)) return type;
  return std::nullopt;
}

// The numbers in a type that holds them all.
Array<std::uint64_t> converted(const ColumnView& column, Type type) {
  Array<std::uint64_t> elements((column.size() * width_of(type) + 7) / 8);
  visit_native(type, [&]<class Wide>() {
    visit_native(column.type(), [&]<class Narrow>() {
      const auto* const from = static_cast<const Narrow*>(column.data());
      auto* const to = reinterpret_cast<Wide*>(elements.data());
      if constexpr (std::is_arithmetic_v<Wide>)
        for (std::size_t i = 0; i < column.size(); ++i)
          to[i] = static_cast<Wide>(value_of(from[i]));
    });
  });
  return elements;
}

}  // namespace

ColumnView ColumnView::intervals(const ColumnView& start, const ColumnView& end, Ends ends,
                                 std::vector<ColumnView> by) {
  if (start.type() == Type::composite || end.type() == Type::composite)
    fail("the start of an interval is one value: pass leading columns as `by`");
  const std::optional<Type> wide = common_type(start.type(), end.type());
  const bool is_on_host = std::max(start.memory_space(), end.memory_space()) == MemorySpace::host;
  if (start.type() != end.type() && wide && is_on_host) {
    const auto widened = [&](const ColumnView& column) {
      if (column.type() == *wide) return column;
      auto own = std::make_shared<Dictionary>();
      own->elements = converted(column, *wide);
      own->values = column;  // may own its validity
      ColumnView view = of(*wide, own->elements.data(), column.size());
      view.dictionary_ = std::move(own);
      return view.with_validity(column.validity_, column.validity_offset_);
    };
    return intervals(widened(start), widened(end), ends, std::move(by));
  }
  if (start.type() != end.type() || start.time_unit() != end.time_unit() ||
      start.scale() != end.scale())
    fail("intervals start with {} values and end with {} values: convert one of the columns",
         type_text(start), type_text(end));
  by.push_back(start);
  by.push_back(end);
  ColumnView view = composite(std::move(by));
  view.interval_ends_ = ends;
  return view;
}

}  // namespace rtindex
