#include "cli/table.hpp"

#include <algorithm>
#include <cassert>
#include <string_view>
#include <utility>

#include "base/display_width.hpp"

namespace rtindex::cli {

namespace {

constexpr std::string_view gap = "  ";

// "1,234", "-0.5", "3x", "99.8%", "2^20", or a placeholder for a missing number.
bool looks_numeric(std::string_view cell) {
  if (cell.empty() || cell == "-" || cell == "–" || cell == "nan" || cell == "null") return true;
  if (cell.front() == '-' || cell.front() == '+') cell.remove_prefix(1);
  if (cell.empty() || cell.front() < '0' || cell.front() > '9') return false;
  return cell.find_first_not_of("0123456789.,e+-^x%") == std::string_view::npos;
}

std::string padded(const std::string& cell, std::size_t width, bool right) {
  const std::string space(width - display_width(cell), ' ');
  return right ? space + cell : cell + space;
}

std::string without_trailing_spaces(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

void Table::add(std::vector<std::string> cells) {
  assert(cells.size() <= header_.size());
  cells.resize(header_.size());
  rows_.push_back(std::move(cells));
}

std::size_t Table::width_of(std::size_t column) const {
  std::size_t width = display_width(header_[column]);
  for (const auto& row : rows_) width = std::max(width, display_width(row[column]));
  return width;
}

bool Table::is_numeric(std::size_t column) const {
  return !rows_.empty() && std::all_of(rows_.begin(), rows_.end(),
                                       [&](const auto& row) { return looks_numeric(row[column]); });
}

std::string Table::text(std::size_t indent) const {
  std::vector<std::size_t> widths;
  std::vector<bool> right;
  for (std::size_t column = 0; column < header_.size(); ++column) {
    widths.push_back(width_of(column));
    right.push_back(is_numeric(column));
  }
  const std::string margin(indent, ' ');
  std::string text;
  auto add_line = [&](const std::vector<std::string>& cells) {
    std::string line = margin;
    for (std::size_t column = 0; column < cells.size(); ++column) {
      if (column != 0) line += gap;
      line += padded(cells[column], widths[column], right[column]);
    }
    text += without_trailing_spaces(std::move(line)) + '\n';
  };
  std::vector<std::string> rule;
  rule.reserve(widths.size());
  for (const std::size_t width : widths) rule.emplace_back(width, '-');
  add_line(header_);
  add_line(rule);
  for (const auto& row : rows_) add_line(row);
  return text;
}

}  // namespace rtindex::cli
