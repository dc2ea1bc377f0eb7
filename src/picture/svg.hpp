#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace rtindex {

// A name and a value of an element; numbers are written with as few digits as a picture needs.
struct Attribute {
  Attribute(std::string_view key, std::string_view text) : name(key), value(text) {}
  Attribute(std::string_view key, const char* text) : name(key), value(text) {}
  template <class Number>
  requires std::integral<Number> || std::floating_point<Number> Attribute(std::string_view key,
                                                                          Number number)
      : name(key), value(number_text(static_cast<double>(number))) {}

  std::string name;
  std::string value;

 private:
  static std::string number_text(double number);
};

using Attributes = std::vector<Attribute>;

// Writes an SVG document element by element. Whatever text it is given, the result is well-formed.
class Svg {
 public:
  Svg(double width, double height, std::string_view title, std::string_view description);

  void element(std::string_view name, const Attributes& attributes);
  void text(double x, double y, std::string_view text, const Attributes& attributes);
  void open(std::string_view name, const Attributes& attributes);
  void close();
  // Closes what is open and gives the document.
  [[nodiscard]] std::string finish();

 private:
  void start(std::string_view name, const Attributes& attributes, std::string_view end);

  std::string out_;
  std::vector<std::string> open_;
};

// Text that may stand in XML: marks escaped, bytes that are no UTF-8 or no XML character replaced.
[[nodiscard]] std::string xml_text(std::string_view text);

// "M x y L x y ...": a path through points, closed with 'Z' where wanted.
struct PixelPoint {
  double x = 0;
  double y = 0;
};
[[nodiscard]] std::string path_through(std::initializer_list<PixelPoint> points, bool closed);
[[nodiscard]] std::string path_through(const std::vector<PixelPoint>& points, bool closed);

}  // namespace rtindex
