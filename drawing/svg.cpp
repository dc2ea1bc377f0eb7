#include "drawing/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace rtindex {

namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd";  // U+FFFD
constexpr std::string_view fonts =
    "Inter, 'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif";

// The length of the UTF-8 sequence at the start of `text`, or 0 if XML does not allow it.
std::size_t sequence_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return lead >= 0x20 || lead == '\t' || lead == '\n' ? 1 : 0;
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 0;
  if (length == 0 || lead > 0xf4 || text.size() < length) return 0;
  std::uint32_t code = lead & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0U) != 0x80U) return 0;
    code = (code << 6U) | (next & 0x3fU);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  const bool not_a_character = code == 0xfffe || code == 0xffff || code > 0x10ffff;
  return overlong || surrogate || not_a_character ? 0 : length;
}

std::string path_text(const PixelPoint* points, std::size_t count, bool closed) {
  std::string path;
  for (std::size_t i = 0; i < count; ++i)
    path += fmt::format("{}{:.2f} {:.2f}", i == 0 ? "M" : " L", points[i].x, points[i].y);
  return closed ? path + " Z" : path;
}

}  // namespace

std::string Attribute::number_text(double number) {
  std::string text = fmt::format("{:.2f}", number);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string xml_text(std::string_view text) {
  std::string safe;
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    switch (length == 1 ? text[0] : '\0') {
      case '&': safe += "&amp;"; break;
      case '<': safe += "&lt;"; break;
      case '>': safe += "&gt;"; break;
      case '"': safe += "&quot;"; break;
      default: safe += length == 0 ? replacement : text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return safe;
}

std::string path_through(std::initializer_list<PixelPoint> points, bool closed) {
  return path_text(points.begin(), points.size(), closed);
}

std::string path_through(const std::vector<PixelPoint>& points, bool closed) {
  return path_text(points.data(), points.size(), closed);
}

Svg::Svg(double width, double height, std::string_view title, std::string_view description) {
  out_ = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  constexpr double page = 1400;  // wider pictures are shown smaller
  const double shown = std::min(1.0, page / width);
  open("svg", {{"xmlns", "http://www.w3.org/2000/svg"},
               {"width", std::ceil(width * shown)},
               {"height", std::ceil(height * shown)},
               {"viewBox", fmt::format("0 0 {:.0f} {:.0f}", std::ceil(width), std::ceil(height))},
               {"role", "img"},
               {"font-family", fonts}});
  out_ +=
      fmt::format("<title>{}</title>\n<desc>{}</desc>\n", xml_text(title), xml_text(description));
}

void Svg::start(std::string_view name, const Attributes& attributes, std::string_view end) {
  out_ += fmt::format("{:{}}<{}", "", 2 * open_.size(), name);
  for (const Attribute& attribute : attributes)
    out_ += fmt::format(" {}=\"{}\"", attribute.name, xml_text(attribute.value));
  out_ += end;
}

void Svg::element(std::string_view name, const Attributes& attributes) {
  start(name, attributes, "/>\n");
}

void Svg::text(double x, double y, std::string_view text, const Attributes& attributes) {
  Attributes all = {{"x", x}, {"y", y}};
  all.insert(all.end(), attributes.begin(), attributes.end());
  start("text", all, ">");
  out_ += xml_text(text) + "</text>\n";
}

void Svg::open(std::string_view name, const Attributes& attributes) {
  start(name, attributes, ">\n");
  open_.emplace_back(name);
}

void Svg::close() {
  const std::string name = open_.back();
  open_.pop_back();
  out_ += fmt::format("{:{}}</{}>\n", "", 2 * open_.size(), name);
}

std::string Svg::finish() {
  while (!open_.empty()) close();
  return std::move(out_);
}

}  // namespace rtindex
