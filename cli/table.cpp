#include "cli/table.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <utility>

namespace rtindex::cli {

namespace {

constexpr std::string_view gap = "  ";

struct Span {
  std::uint32_t first, last;
};

bool is_in(const auto& spans, std::uint32_t code) {
  return std::any_of(spans.begin(), spans.end(),
                     [&](const Span& span) { return code >= span.first && code <= span.last; });
}

std::size_t width_of_code_point(std::uint32_t code) {
  static constexpr std::array<Span, 5> combining = {
      {{0x300, 0x36f}, {0x200b, 0x200f}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}}};
  static constexpr std::array<Span, 6> wide = {{{0x1100, 0x115f},
                                                {0x2e80, 0xa4cf},
                                                {0xac00, 0xd7a3},
                                                {0xf900, 0xfaff},
                                                {0xff00, 0xff60},
                                                {0x1f300, 0x3fffd}}};
  if (is_in(combining, code)) return 0;
  return is_in(wide, code) ? 2 : 1;
}

// "1,234", "-0.5", "3x", "99.8%", "2^20", or a stand-in for a missing number.
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
  for (const std::size_t width : widths) rule.emplace_back(width, '-');
  add_line(header_);
  add_line(rule);
  for (const auto& row : rows_) add_line(row);
  return text;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i++]);
    std::uint32_t code = lead < 0xc0   ? lead
                         : lead < 0xe0 ? lead & 0x1fU
                         : lead < 0xf0 ? lead & 0xfU
                                       : lead & 7U;
    while (i < text.size() && (static_cast<unsigned char>(text[i]) & 0xc0U) == 0x80U)
      code = (code << 6U) | (static_cast<unsigned char>(text[i++]) & 0x3fU);
    width += width_of_code_point(code);
  }
  return width;
}

}  // namespace rtindex::cli
