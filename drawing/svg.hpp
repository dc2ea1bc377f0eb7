#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace rtindex {

// An attribute of an element; numbers are written with two decimals at most.
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

// Writes an SVG document element by element. The result is well-formed for any text.
class Svg {
 public:
  Svg(double width, double height, std::string_view title, std::string_view description);

  void element(std::string_view name, const Attributes& attributes);
  void text(double x, double y, std::string_view text, const Attributes& attributes);
  void open(std::string_view name, const Attributes& attributes);
  void close();
  // Closes open elements and returns the document.
  [[nodiscard]] std::string finish();

 private:
  void start(std::string_view name, const Attributes& attributes, std::string_view end);

  std::string out_;
  std::vector<std::string> open_;
};

// Text for XML: special characters escaped, invalid UTF-8 and invalid characters replaced.
[[nodiscard]] std::string xml_text(std::string_view text);

// "M x y L x y ...": a path through points, closed with 'Z' where wanted.
struct PixelPoint {
  double x = 0;
  double y = 0;
};
[[nodiscard]] std::string path_through(std::initializer_list<PixelPoint> points, bool closed);
[[nodiscard]] std::string path_through(const std::vector<PixelPoint>& points, bool closed);

}  // namespace rtindex
