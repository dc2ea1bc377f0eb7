#include "cli/changes.hpp"

#include <fmt/format.h>

#include <type_traits>
#include <utility>

#include "base/error.hpp"
#include "base/types.hpp"

namespace rtindex::cli {

namespace {

// Whether `number` can become a To, which may round floats.
template <class To, class From>
constexpr bool fits(From number) {
  if constexpr (std::is_floating_point_v<To>)
    return true;
  else if constexpr (std::is_floating_point_v<From>)
    return false;
  else
    return std::in_range<To>(number);
}

template <class From, class To>
LoadedColumn converted(const LoadedColumn& column, Type type) {
  const auto* const from = static_cast<const From*>(column.view().data());
  RawMemory memory(column.size() * sizeof(To));
  auto* const to = static_cast<To*>(memory.data());
  for (std::size_t i = 0; i < column.size(); ++i) {
    const auto number = value_of(from[i]);  // 0 for a null
    if (!fits<value_t<To>>(number))
      fail("{} holds {} as element {}: expected {}", column.name(), number, i, name_of(type));
    to[i] = To{static_cast<value_t<To>>(number)};  // NOLINT(*-signed-char-misuse)
  }
  LoadedColumn numbers =
      LoadedColumn::numbers(column.name(), type, std::move(memory), column.size());
  numbers.set_validity(column.validity());
  return numbers;
}

bool is_number(Type type) { return is_float(type) || (is_integer(type) && type != Type::boolean); }

}  // namespace

LoadedColumn as_numbers(LoadedColumn column, Type type) {
  if (column.type() == type || !is_number(type)) return column;
  if (!is_integer(column.type()) && !is_float(column.type())) return column;
  return visit_native(column.type(), [&]<class From>() {
    return visit_native(type, [&]<class To>() -> LoadedColumn {
      if constexpr (std::is_same_v<To, Bool8>)
        return std::move(column);
      else
        return converted<From, To>(column, type);
    });
  });
}

LoadedColumn as_rows(LoadedColumn column) {
  if (!is_integer(column.type()) || column.type() == Type::boolean)
    fail("{} holds {}: expected rowIDs, which are whole numbers", column.name(),
         column.type_text());
  if (column.view().nullable()) fail("{} has missing rowIDs: remove these rows", column.name());
  return as_numbers(std::move(column), Type::u32);
}

std::string counted(std::size_t count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string Changes::apply(Index& index) const {
  std::string text;
  const auto add_line = [&](const char* what, const std::string& how_many) {
    text += fmt::format("{:<9}{}\n", what, how_many);
  };
  if (erased_rows) {
    index.erase(erased_rows->view());
    add_line("erased", counted(erased_rows->size(), "row") + " by rowID");
  }
  if (erased_keys) {
    add_line("erased", counted(index.erase_keys(erased_keys->view()), "row") + " by key");
  }
  if (keys) {
    index.update(keys->rows.view(), keys->elements.view());
    add_line("changed", counted(keys->rows.size(), "key"));
  }
  if (included) {
    index.set_included(included->rows.view(), included->values.column.view(),
                       included->values.name);
    add_line("changed", counted(included->rows.size(), "included value"));
  }
  if (inserted) {
    const std::uint32_t first = index.insert(inserted->view(), included_columns(inserted_values));
    add_line("inserted", fmt::format("{} from rowID {}", counted(inserted->size(), "row"), first));
  }
  if (merge) {
    index.merge();
    add_line("merged", "all segments");
  }
  return text;
}

}  // namespace rtindex::cli
