#include "column_files/loaded_column.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <limits>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "base/types.hpp"

namespace rtindex {

namespace {

// Throws unless `bytes` after a header are `count` elements of `width` bytes.
void require_element_count(std::uint64_t count, std::size_t width, std::size_t bytes,
                           const std::string& path) {
  if (count > std::numeric_limits<std::size_t>::max() / width)
    fail(ErrorKind::corrupt_file,
         "{}: impossible count of {} elements in the header: the file is damaged or has another "
         "format",
         path, count);
  const std::size_t expected = static_cast<std::size_t>(count) * width;
  if (expected > bytes)
    fail(ErrorKind::corrupt_file,
         "{} is truncated or its header is wrong: expected {} elements of {} bytes, got {} bytes; "
         "copy or save it again",
         path, count, width, bytes);
  if (expected < bytes)
    fail(
        "{} has {} extra bytes after its {} elements of {} bytes: save one array per file, or pass "
        "the right --format",
        path, bytes - expected, count, width);
}

// NumPy has more units than TimeUnit, such as "W" and "25s".
TimeUnit time_unit_or_none(std::string_view name) {
  for (const TimeUnit unit : {TimeUnit::day, TimeUnit::hour, TimeUnit::minute, TimeUnit::second,
                              TimeUnit::millisecond, TimeUnit::microsecond, TimeUnit::nanosecond})
    if (name_of(unit) == name) return unit;
  return TimeUnit::unspecified;
}

}  // namespace

LoadedColumn LoadedColumn::in_file(FileBytes file, std::size_t offset, Type type, std::size_t width,
                                   std::uint64_t size) {
  assert(offset <= file.size());
  require_element_count(size, width, file.size() - offset, file.path());
  LoadedColumn column;
  column.name_ = file.path();
  column.type_ = type;
  column.size_ = size;
  column.width_ = width;
  if (is_native(type) && offset % width != 0) {
    // Some writers do not align the elements.
    column.memory_ = RawMemory(size * width);
    if (size != 0) std::memcpy(column.memory_.data(), file.data() + offset, size * width);
    column.elements_ = static_cast<const char*>(column.memory_.data());
    return column;
  }
  column.file_ = std::move(file);
  column.elements_ = column.file_.data() + offset;
  return column;
}

LoadedColumn LoadedColumn::numbers(std::string name, Type type, RawMemory elements,
                                   std::size_t size) {
  assert(is_native(type) && elements.bytes() >= size * rtindex::width_of(type));
  LoadedColumn column;
  column.name_ = std::move(name);
  column.type_ = type;
  column.size_ = size;
  column.width_ = rtindex::width_of(type);
  column.memory_ = std::move(elements);
  column.elements_ = static_cast<const char*>(column.memory_.data());
  return column;
}

LoadedColumn LoadedColumn::strings(std::string name, std::vector<char> bytes,
                                   std::vector<std::int64_t> offsets) {
  assert(!offsets.empty());
  LoadedColumn column;
  column.name_ = std::move(name);
  column.type_ = Type::string;
  column.size_ = offsets.size() - 1;
  bytes.reserve(1);  // empty strings need an address too
  column.bytes_ = std::move(bytes);
  column.offsets_ = std::move(offsets);
  column.elements_ = column.bytes_.data();
  return column;
}

LoadedColumn LoadedColumn::composite(std::vector<LoadedColumn> parts) {
  assert(!parts.empty());
  LoadedColumn column;
  column.type_ = Type::composite;
  column.size_ = parts.front().size();
  for (const LoadedColumn& part : parts) {
    if (part.size() != column.size_)
      fail("{} holds {} rows, but {} holds {}: expected one element of each per row",
           parts.front().name(), column.size_, part.name(), part.size());
    if (column.name_.empty())
      column.name_ = part.name();
    else if (part.name() != parts.front().name())
      column.name_ += ", " + part.name();
    // Points of one column hold it twice.
    if (column.remark_.find(part.remark()) == std::string::npos)
      column.remark_ += (column.remark_.empty() ? "" : "; ") + part.remark();
  }
  column.parts_ = std::move(parts);
  return column;
}

LoadedColumn LoadedColumn::intervals(std::vector<LoadedColumn> parts, Ends ends) {
  assert(parts.size() >= 2);
  LoadedColumn column = composite(std::move(parts));
  column.interval_ends_ = ends;
  return column;
}

LoadedColumn LoadedColumn::points_of(std::vector<LoadedColumn> columns,
                                     std::vector<std::string> names) {
  assert(names.size() == columns.size());
  LoadedColumn column = composite(std::move(columns));
  column.part_names_ = std::move(names);
  column.are_points_ = true;
  return column;
}

LoadedColumn LoadedColumn::points() const {
  assert(interval_ends_);
  std::vector<LoadedColumn> parts;
  for (std::size_t part = 0; part + 1 < parts_.size(); ++part) {
    parts.push_back(indexed(name_, parts_[part].type(), size_));
    parts.back().set_unit(parts_[part].unit());
    parts.back().set_inferred_text(parts_[part].inferred_text());
  }
  return parts.size() == 1 ? std::move(parts.front()) : composite(std::move(parts));
}

LoadedColumn LoadedColumn::indexed(std::string name, Type type, std::size_t size) {
  LoadedColumn column;
  column.name_ = std::move(name);
  column.type_ = type;
  column.size_ = size;
  return column;
}

std::string LoadedColumn::tuple_of(
    const std::function<std::string(const LoadedColumn&)>& text) const {
  std::string all;
  for (const LoadedColumn& part : parts_) all += (all.empty() ? "(" : ", ") + text(part);
  return all + ")";
}

std::string LoadedColumn::type_text() const {
  if (interval_ends_)
    return fmt::format("intervals {} of {}", name_of(*interval_ends_), points().type_text());
  if (are_points_) {
    std::string all = "points";
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      const auto own = part_names_.begin() + static_cast<std::ptrdiff_t>(part);
      if (std::find(part_names_.begin(), own, *own) != own) continue;  // a filter of one column
      all += fmt::format("{}{} {}", part == 0 ? " (" : ", ", *own, parts_[part].type_text());
    }
    return all + ")";
  }
  if (!parts_.empty()) return tuple_of([](const LoadedColumn& part) { return part.type_text(); });
  if (unit_.empty()) return std::string(name_of(type_));
  return fmt::format("{}[{}]", name_of(type_), unit_);
}

std::string LoadedColumn::text(std::size_t row) const {
  if (!parts_.empty()) return tuple_of([&](const LoadedColumn& part) { return part.text(row); });
  return view().text(row);
}

std::string LoadedColumn::plain_text(std::size_t row) const {
  if (type_ == Type::string) return std::string(view().string(row));
  if (type_ == Type::boolean && view().valid(row)) return text(row) == "0" ? "false" : "true";
  return text(row);
}

ColumnView LoadedColumn::slice(std::size_t first, std::size_t count) const {
  assert(first <= size_ && count <= size_ - first);
  if (!parts_.empty()) {
    std::vector<ColumnView> views;
    views.reserve(parts_.size());
    for (const LoadedColumn& part : parts_) views.push_back(part.slice(first, count));
    if (are_points_) return ColumnView::points(std::move(views));
    if (!interval_ends_) return ColumnView::composite(std::move(views));
    const ColumnView end = views.back();
    views.pop_back();
    const ColumnView start = views.back();
    views.pop_back();
    return ColumnView::intervals(start, end, *interval_ends_, std::move(views));
  }
  ColumnView view;
  if (!offsets_.empty())
    view = ColumnView::strings(std::span(offsets_).subspan(first, count + 1), elements_);
  else if (type_ == Type::string)
    view = ColumnView::fixed_strings(elements_ + first * width_, width_, count);
  else
    view = ColumnView::of(type_, elements_ + first * width_, count);
  if (type_ == Type::timestamp64) view = view.with_time_unit(time_unit_or_none(unit_));
  return validity_.empty() ? view : view.with_validity(validity_.data(), first);
}

}  // namespace rtindex
