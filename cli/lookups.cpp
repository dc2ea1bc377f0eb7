#include "cli/lookups.hpp"

#include <utility>

#include "base/error.hpp"
#include "base/types.hpp"
#include "cli/summary.hpp"
#include "io/text_column.hpp"
#include "io/text_values.hpp"
#include "keys/ordered_bits.hpp"

namespace rtindex::cli {

namespace {

bool can_compare(Type a, Type b) {
  if (!is_native(a) || !is_native(b)) return a == b;
  return comparable(a, b);
}

void require_comparable(const LoadedColumn& lookups, const LoadedColumn& column) {
  if (!can_compare(column.type(), lookups.type()))
    fail("{} holds {}, which cannot be compared with the {} keys of {}: expected {}{}",
         lookups.name(), lookups.type_text(), column.type_text(), column.name(), column.type_text(),
         column.is_time() ? "; in text, " + time_forms(column.tick()) : std::string());
  if (lookups.unit() != column.unit())
    fail("{} holds {}, but {} holds {}: convert it with a.astype('datetime64[{}]')", lookups.name(),
         lookups.type_text(), column.name(), column.type_text(), column.unit());
}

}  // namespace

Answers Lookups::answer(const Index& index, const LookupOptions& options, std::size_t first,
                        std::size_t count) const {
  const ColumnView from = lower.slice(first, count);
  return kind == LookupKind::point ? index.lookup(from, options)
                                   : index.range(from, upper.slice(first, count), options);
}

void Lookups::require_fit(const LoadedColumn& column) const {
  require_comparable(lower, column);
  if (kind == LookupKind::point) return;
  require_comparable(upper, column);
  if (lower.size() != upper.size())
    fail("{} holds {} lower bounds, but {} holds {} upper bounds: expected one of each per range",
         lower.name(), lower.size(), upper.name(), upper.size());
}

RangeText split_range(const std::string& text, const LoadedColumn& column) {
  const auto cut_at = [&](std::size_t colon) {
    return RangeText{text.substr(0, colon), text.substr(colon + 1)};
  };
  const std::size_t first = text.find(':');
  const bool one_colon =
      first != std::string::npos && text.find(':', first + 1) == std::string::npos;
  if (!column.is_time()) {
    if (one_colon) return cut_at(first);
    fail(
        "invalid --range {}: expected LOWER:UPPER, such as 23:25; for keys with a colon, pass the "
        "files --lower and --upper of `rtindex range`",
        text);
  }
  // Times contain colons; the lower bound may also be a number of ticks.
  for (std::size_t colon = first; colon != std::string::npos; colon = text.find(':', colon + 1)) {
    RangeText range = cut_at(colon);
    if ((parse_iso_time(range.lower) || parse_number<std::int64_t>(range.lower)) &&
        parse_iso_time(range.upper))
      return range;
  }
  if (one_colon && !parse_iso_time(text)) return cut_at(first);
  fail("invalid --range {} of {}: expected LOWER:UPPER, such as 2024-01-31:2024-02-02{}", text,
       column.type_text(), column.tick() == "D" ? "" : " or 2024-01-31T12:30:2024-01-31T13:00");
}

LoadedColumn inline_keys(const std::vector<std::string>& texts, const std::string& option,
                         const LoadedColumn& column) {
  TextColumn keys;
  for (const std::string& text : texts) {
    if (text.empty() && is_native(column.type()))
      fail("{} is empty or lacks a bound: expected {}, the type of {}", option, column.type_text(),
           column.name());
    if (text.empty())
      keys.add_quoted("");
    else
      keys.add(text);
  }
  LoadedColumn loaded = std::move(keys).finish(option, &column);
  if (can_compare(column.type(), loaded.type())) return loaded;
  // Find the text that is not a key.
  for (const std::string& text : texts) {
    TextColumn alone;
    alone.add(text);
    if (!can_compare(column.type(), std::move(alone).finish(option, &column).type()))
      fail("invalid {} '{}': expected {}, the type of {}{}", option, text, column.type_text(),
           column.name(), column.is_time() ? ": " + time_forms(column.tick()) : std::string());
  }
  return loaded;
}

LoadedColumn column_of(const Index& index, const std::string& file) {
  if (index.type() == Type::composite)
    fail("{} has composite keys: use the library, the command line has no syntax for them", file);
  LoadedColumn column = LoadedColumn::indexed(file, index.type(), index.size());
  const auto numpy_unit = index.metadata().find(numpy_unit_name);
  column.set_unit(numpy_unit != index.metadata().end() ? numpy_unit->second
                                                       : std::string(name_of(index.time_unit())));
  return column;
}

}  // namespace rtindex::cli
