#include "cli/lookups.hpp"

#include <utility>

#include "base/error.hpp"
#include "base/types.hpp"
#include "io/text_column.hpp"
#include "keys/convert.hpp"

namespace rtindex::cli {

namespace {

bool can_compare(Type a, Type b) {
  if (!is_native(a) || !is_native(b)) return a == b;
  return comparable(a, b);
}

void require_comparable(const LoadedColumn& lookups, const LoadedColumn& column) {
  if (!can_compare(column.type(), lookups.type()))
    fail("{} holds {}, which cannot be compared with the {} keys of {}: convert it to {}",
         lookups.name(), lookups.type_text(), column.type_text(), column.name(),
         column.type_text());
  if (lookups.unit() != column.unit())
    fail("{} holds {}, but {} holds {}: convert it with a.astype('datetime64[{}]')", lookups.name(),
         lookups.type_text(), column.name(), column.type_text(), column.unit());
}

}  // namespace

Answers Lookups::answer(const Index& index, const Ask& ask, std::size_t first,
                        std::size_t count) const {
  const ColumnView from = lower.slice(first, count);
  return kind == LookupKind::point ? index.lookup(from, ask)
                                   : index.range(from, upper.slice(first, count), ask);
}

void Lookups::require_fit(const LoadedColumn& column) const {
  require_comparable(lower, column);
  if (kind == LookupKind::point) return;
  require_comparable(upper, column);
  if (lower.size() != upper.size())
    fail("{} holds {} lower ends, but {} holds {} upper ends: a range needs one of each",
         lower.name(), lower.size(), upper.name(), upper.size());
}

LoadedColumn inline_keys(const std::vector<std::string>& texts, const std::string& option,
                         const LoadedColumn& column) {
  TextColumn keys;
  for (const std::string& text : texts) {
    if (text.empty() && is_native(column.type()))
      fail("{} is empty or lacks an end: write a key of type {}, the type of {}", option,
           column.type_text(), column.name());
    if (text.empty())
      keys.add_quoted("");
    else
      keys.add(text);
  }
  LoadedColumn loaded = std::move(keys).finish(option, &column);
  if (can_compare(column.type(), loaded.type())) return loaded;
  // One text that is no key spoils them all: name the one.
  for (const std::string& text : texts) {
    TextColumn alone;
    alone.add(text);
    if (!can_compare(column.type(), std::move(alone).finish(option, &column).type()))
      fail("{} '{}' cannot be read as {}, the type of {}", option, text, column.type_text(),
           column.name());
  }
  return loaded;
}

}  // namespace rtindex::cli
