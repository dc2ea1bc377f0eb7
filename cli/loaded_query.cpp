#include "cli/loaded_query.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "base/types.hpp"
#include "cli/json_text.hpp"
#include "cli/summary.hpp"
#include "column_files/csv_scanner.hpp"
#include "column_files/text_column.hpp"
#include "column_files/text_values.hpp"
#include "keys/ordered_bits.hpp"

namespace rtindex::cli {

namespace {

bool can_compare(Type a, Type b) {
  if (!is_native(a) || !is_native(b)) return a == b;
  return comparable(a, b);
}

void require_comparable(const LoadedColumn& lookups, const LoadedColumn& column);

// Lookups with fewer parts than the column are prefixes of its keys.
void require_comparable_parts(const LoadedColumn& lookups, const LoadedColumn& column) {
  const std::size_t parts = lookups.parts().size();
  if (parts > column.parts().size())
    fail("{} has keys of {} parts, but those of {} have {}: pass at most as many", lookups.name(),
         parts, column.name(), column.parts().size());
  for (std::size_t part = 0; part < parts; ++part)
    require_comparable(lookups.parts()[part], column.parts()[part]);
}

void require_comparable(const LoadedColumn& lookups, const LoadedColumn& column) {
  if (!lookups.parts().empty() && !column.parts().empty())
    return require_comparable_parts(lookups, column);
  if (is_native(column.type()) && !column.is_time() && lookups.inferred_text()) {
    const auto& [name, sample, decimal, saved] = *lookups.inferred_text();
    std::string advice = "expected " + column.type_text();
    if (has_decimal_comma(sample)) advice = "pass --decimal , if its comma is a decimal point";
    if (decimal == ',' && parse_number<double>(sample))
      advice = "--decimal , holds for all files of the call, so write its numbers with a comma";
    fail(
        "column {} of {} holds text, such as '{}', which cannot be compared with the {} keys of "
        "{}: {}",
        name, lookups.name(), sample, column.type_text(), column.name(), advice);
  }
  if (!can_compare(column.type(), lookups.type()))
    fail("{} holds {}, which cannot be compared with the {} keys of {}: expected {}{}",
         lookups.name(), lookups.type_text(), column.type_text(), column.name(), column.type_text(),
         column.is_time() ? "; in text, " + time_forms(column.tick()) : std::string());
  if (lookups.unit() != column.unit())
    fail("{} holds {}, but {} holds {}: convert it with a.astype('datetime64[{}]')", lookups.name(),
         lookups.type_text(), column.name(), column.type_text(), column.unit());
}

// What else may be done with a column that has this field, before "pass --type".
std::string advice_for_field(const std::string& sample, char decimal) {
  if (decimal == ',' && parse_number<double>(sample))
    return "write its numbers with a comma in the file, or remove --decimal , or ";
  if (has_decimal_comma(sample)) return "pass --decimal , if its comma is a decimal point, or ";
  if (std::count(sample.begin(), sample.end(), '.') == 3 && looks_like_a_value(sample))
    return "convert the addresses to integers, or ";
  if (is_ipv6_text(sample))
    return "write each group of the addresses with four digits in the file, and ";
  if (looks_like_a_value(sample))
    return "write numbers as 1234.5 and times as 2024-01-31T12:30 in the file, or ";
  return "";
}

// What to do with a column of texts such as this one, which is needed `for_what`.
std::string advice_for(const InferredText& text, std::string_view for_what) {
  if (text.saved)
    return fmt::format("build the index from numbers or times, or with --type {}:string {}",
                       text.column, for_what);
  return fmt::format("{}pass --type {}:string {}", advice_for_field(text.sample, text.decimal),
                     text.column, for_what);
}

}  // namespace

void require_text_bounds(const LoadedColumn& bounds, const LoadedColumn& column) {
  if (!bounds.parts().empty() && !column.parts().empty())
    return require_text_bounds(bounds.parts().back(), column.parts()[bounds.parts().size() - 1]);
  if (!column.inferred_text() || bounds.type() != Type::string || bounds.size() == 0) return;
  for (std::size_t i = 0; i < bounds.size(); ++i)
    if (!looks_like_a_value(bounds.plain_text(i))) return;
  const InferredText& text = *column.inferred_text();
  fail(
      "{}: {} looks like a number or a time, but column {} of {} holds text, such as '{}', in "
      "which 10 comes before 9: {}",
      bounds.name(), bounds.plain_text(0), text.column, column.name(), text.sample,
      advice_for(text, "to compare it as text"));
}

void require_order_of_values(const LoadedColumn& column) {
  for (const LoadedColumn& part : column.parts()) require_order_of_values(part);
  if (!column.inferred_text() || !looks_like_a_value(column.inferred_text()->sample)) return;
  const InferredText& text = *column.inferred_text();
  fail("column {} of {} holds text, such as '{}', in which 10 comes before 9: {}", text.column,
       column.name(), text.sample, advice_for(text, "to order it as text"));
}

Condition LoadedCondition::view() const {
  return {kind, has_lower ? lower.view() : ColumnView(), has_upper ? upper.view() : ColumnView(),
          ends};
}

Query LoadedQuery::slice(std::size_t first, std::size_t count) const {
  Query query = settings;
  for (const LoadedCondition& condition : conditions) query.conditions.push_back(condition.view());
  if (has_lower) query.lower = lower.slice(first, count);
  if (has_upper) query.upper = upper.slice(first, count);
  return query;
}

void LoadedQuery::require_fit(const LoadedColumn& column) const {
  if (searches_intervals(kind()) && !column.parts().empty())
    for (const LoadedColumn* const bounds : {&lower, &upper})
      if (bounds->size() != 0 && bounds->parts().size() < column.parts().size())
        fail("{} has {} of {} values: those of --by come first, such as blue,10", bounds->name(),
             bounds->parts().size(), column.parts().size());
  const bool compares =
      has_two_ends(kind()) || searches_intervals(kind()) || kind() == QueryKind::nearest;
  const auto require_bounds = [&](const LoadedColumn& bounds) {
    require_comparable(bounds, column);
    if (compares) require_text_bounds(bounds, column);
  };
  if (has_lower) require_bounds(lower);
  if (!has_upper) return;
  require_bounds(upper);
  if (has_lower && lower.size() != upper.size())
    fail("{} holds {} lower bounds, but {} holds {} upper bounds: expected one of each per range",
         lower.name(), lower.size(), upper.name(), upper.size());
}

RangeText split_range(const std::string& text, const LoadedColumn& column,
                      const std::string& option) {
  const auto cut_at = [&](std::size_t colon) {
    return RangeText{text.substr(0, colon), text.substr(colon + 1)};
  };
  const std::size_t first = text.find(':');
  const bool one_colon =
      first != std::string::npos && text.find(':', first + 1) == std::string::npos;
  if (!column.is_time()) {
    if (one_colon) return cut_at(first);
    const char* advice = "";
    if (option == "--range")
      advice = "; for keys with a colon, pass the files --lower and --upper of `rtindex range`";
    else if (option.starts_with("--where"))
      advice = "; put a value with a colon in quotes, such as 'ip=\"::1\"'";
    fail("invalid {} {}: expected LOWER:UPPER, such as 23:25, 23: or :25{}", option, text, advice);
  }
  if (text == ":") return {};
  // A missing end.
  const auto is_time = [](const std::string& end) {
    return parse_iso_time(end) || parse_number<std::int64_t>(end);
  };
  if (text.ends_with(':') && is_time(text.substr(0, text.size() - 1)))
    return cut_at(text.size() - 1);
  if (text.starts_with(':') && is_time(text.substr(1))) return cut_at(0);
  // Times contain colons; the lower bound may also be a number of ticks.
  for (std::size_t colon = first; colon != std::string::npos; colon = text.find(':', colon + 1)) {
    RangeText range = cut_at(colon);
    if ((parse_iso_time(range.lower) || parse_number<std::int64_t>(range.lower)) &&
        parse_iso_time(range.upper))
      return range;
  }
  if (one_colon && !parse_iso_time(text)) return cut_at(first);
  fail("invalid {} {} of {}: expected LOWER:UPPER, such as 2024-01-31:2024-02-02{}", option, text,
       column.type_text(), column.tick() == "D" ? "" : " or 2024-01-31T12:30:2024-01-31T13:00");
}

namespace {

// The position of the comma behind the part that begins at `first`; npos if it is the last one.
std::size_t end_of_part(const std::string& text, std::size_t first) {
  if (first >= text.size() || text[first] != '"') return text.find(',', first);
  std::size_t quote = text.find('"', first + 1);
  while (quote != std::string::npos && quote + 1 < text.size() && text[quote + 1] == '"')
    quote = text.find('"', quote + 2);
  return quote == std::string::npos ? text.find(',', first) : text.find(',', quote);
}

// A part in quotes without them; "" within is one quote.
std::string unquoted(const std::string& part) {
  if (part.size() < 2 || part.front() != '"' || part.back() != '"') return part;
  return CsvField{.text = std::string_view(part).substr(1, part.size() - 2), .quoted = true}
      .unquoted();
}

// "Oslo,2024-01-31" as its parts, with their quotes; the last one may contain commas without them.
std::vector<std::string> quoted_parts(const std::string& text, std::size_t most) {
  std::vector<std::string> parts;
  std::size_t first = 0;
  while (parts.size() + 1 < most) {
    const std::size_t comma = end_of_part(text, first);
    if (comma == std::string::npos) break;
    parts.push_back(text.substr(first, comma - first));
    first = comma + 1;
  }
  parts.push_back(text.substr(first));
  return parts;
}

std::vector<std::string> split_parts(const std::string& text, std::size_t most) {
  std::vector<std::string> parts = quoted_parts(text, most);
  for (std::string& part : parts) part = unquoted(part);
  return parts;
}

LoadedColumn inline_tuples(const std::vector<std::string>& texts, const std::string& option,
                           const LoadedColumn& column) {
  std::vector<std::vector<std::string>> parts;
  for (const std::string& text : texts) {
    const auto of_text = split_parts(text, column.parts().size());
    if (parts.empty()) parts.resize(of_text.size());
    if (of_text.size() != parts.size())
      fail("{} {} has {} parts, but another one has {}: expected the same number in one call",
           option, text, of_text.size(), parts.size());
    for (std::size_t part = 0; part < parts.size(); ++part) parts[part].push_back(of_text[part]);
  }
  std::vector<LoadedColumn> columns;
  for (std::size_t part = 0; part < parts.size(); ++part)
    columns.push_back(inline_keys(parts[part], option, column.parts()[part]));
  return LoadedColumn::composite(std::move(columns));
}

}  // namespace

RangeText split_led_range(const std::string& text, const LoadedColumn& points) {
  std::size_t point = 0;
  for (std::size_t part = 0; part + 1 < points.parts().size(); ++part) {
    const std::size_t comma = end_of_part(text, point);
    if (comma == std::string::npos)
      fail("invalid --range {}: expected {} values before the range, such as blue,9:11", text,
           points.parts().size() - 1);
    point = comma + 1;
  }
  RangeText range = split_range(text.substr(point), points.parts().back());
  const std::string leading = text.substr(0, point);
  if (!range.lower.empty()) range.lower.insert(0, leading);
  if (!range.upper.empty()) range.upper.insert(0, leading);
  return range;
}

std::vector<std::string> split_values(const std::string& text, const std::string& option) {
  std::vector<std::string> values = quoted_parts(text, std::numeric_limits<std::size_t>::max());
  for (std::string& value : values) {
    if (value.empty())
      fail(
          "{}={} has an empty value: write \"\" for an empty text; nulls need a filter of their "
          "own",
          option, text);
    value = unquoted(value);
  }
  return values;
}

namespace {

// How keys of a column are written, where a reader may wonder.
std::string forms(const LoadedColumn& column) {
  if (column.is_time()) return ": " + time_forms(column.tick());
  if (column.type() == Type::boolean) return ": write true or false";
  const bool fractions = column.type() == Type::f32 || column.type() == Type::f64;
  return fractions ? ": write a number such as 1.5" : "";
}

}  // namespace

LoadedColumn inline_keys(const std::vector<std::string>& texts, const std::string& option,
                         const LoadedColumn& column) {
  if (!column.parts().empty()) return inline_tuples(texts, option, column);
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
  LoadedColumn loaded = std::move(keys).finish({.name = option, .like = &column});
  if (can_compare(column.type(), loaded.type())) return loaded;
  // Find the text that is not a key.
  for (const std::string& text : texts) {
    TextColumn alone;
    alone.add(text);
    if (!can_compare(column.type(),
                     std::move(alone).finish({.name = option, .like = &column}).type()))
      fail("invalid {} '{}': expected {}, the type of {}{}", option, text, column.type_text(),
           column.name(), forms(column));
  }
  return loaded;
}

namespace {

// Those of its metadata, which the Python package shares; columns without a name are numbered.
std::vector<std::string> names_of_points(const Index& index) {
  const std::size_t columns = index.part_types().size();
  const std::map<std::string, std::string> metadata = index.metadata();
  if (const auto stored = metadata.find(column_names_entry); stored != metadata.end())
    if (auto names = strings_of_json(stored->second); names && names->size() == columns)
      return std::move(*names);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < columns; ++i) names.push_back(std::to_string(i));
  return names;
}

// Those of inferred_texts(), by part.
std::vector<std::optional<InferredText>> inferred_texts_of(const Index& index, std::size_t parts) {
  std::vector<std::optional<InferredText>> texts(parts);
  const std::map<std::string, std::string> metadata = index.metadata();
  const auto stored = metadata.find(inferred_text_entry);
  if (stored == metadata.end()) return texts;
  const auto fields = strings_of_json(stored->second);
  if (!fields || fields->size() != 3 * parts) return texts;
  for (std::size_t part = 0; part < parts; ++part) {
    const std::string& decimal = (*fields)[3 * part + 2];
    if (!decimal.empty())
      texts[part] = {(*fields)[3 * part], (*fields)[3 * part + 1], decimal.front(), true};
  }
  return texts;
}

}  // namespace

std::string inferred_texts(const LoadedColumn& column) {
  std::vector<std::string> fields;
  bool any = false;
  const auto add = [&](const LoadedColumn& part) {
    const InferredText text = part.inferred_text().value_or(InferredText{});
    const bool is_text = part.inferred_text().has_value();
    any = any || is_text;
    fields.insert(fields.end(),
                  {text.column, text.sample, is_text ? std::string(1, text.decimal) : ""});
  };
  if (column.parts().empty()) add(column);
  for (const LoadedColumn& part : column.parts()) add(part);
  return any ? json_array(fields) : "";
}

LoadedColumn column_of(const Index& index, const std::string& file) {
  if (index.type() == Type::composite) {
    std::vector<LoadedColumn> parts;
    const std::vector<Type> types = index.part_types();
    const std::vector<TimeUnit> units = index.part_time_units();
    const auto texts = inferred_texts_of(index, types.size());
    for (std::size_t part = 0; part < types.size(); ++part) {
      parts.push_back(LoadedColumn::indexed(file, types[part], index.size()));
      parts.back().set_unit(std::string(name_of(units[part])));
      parts.back().set_inferred_text(texts[part]);
    }
    if (index.holds_points()) {
      std::vector<std::string> names = names_of_points(index);
      return LoadedColumn::points_of(std::move(parts), std::move(names));
    }
    if (const auto ends = index.interval_ends())
      return LoadedColumn::intervals(std::move(parts), *ends);
    return LoadedColumn::composite(std::move(parts));
  }
  LoadedColumn column = LoadedColumn::indexed(file, index.type(), index.size());
  column.set_inferred_text(inferred_texts_of(index, 1).front());
  const std::map<std::string, std::string> metadata = index.metadata();
  const auto numpy_unit = metadata.find(numpy_unit_name);
  column.set_unit(numpy_unit != metadata.end() ? numpy_unit->second
                                               : std::string(name_of(index.time_unit())));
  return column;
}

}  // namespace rtindex::cli
