#include "base/display_width.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace rtindex {

namespace {

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

}  // namespace

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

}  // namespace rtindex
