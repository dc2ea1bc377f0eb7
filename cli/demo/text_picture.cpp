#include "cli/demo/demo.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace rtindex::cli {

namespace {

constexpr double place_width = 6;
constexpr std::size_t left_edge = 10;

// One line of text whose characters are set one by one.
class TextLine {
 public:
  void put(std::size_t column, const std::string& character) {
    if (cells_.size() <= column) cells_.resize(column + 1, " ");
    cells_[column] = character;
  }
  // Single-byte text, centred.
  void centre(std::size_t column, const std::string& text) {
    const std::size_t first = column - std::min(column, text.size() / 2);
    for (std::size_t i = 0; i < text.size(); ++i) put(first + i, text.substr(i, 1));
  }
  void start(const std::string& text) {
    for (std::size_t i = 0; i < text.size(); ++i) put(i, text.substr(i, 1));
  }
  [[nodiscard]] std::string text() const {
    std::string line;
    for (const std::string& cell : cells_) line += cell;
    return "  " + line + "\n";
  }

 private:
  std::vector<std::string> cells_;
};

class TextPicture {
 public:
  explicit TextPicture(const SceneModel& model)
      : model_(model), coordinates_(model.options.coordinates) {
    for (const SceneKey& key : model_.keys) {
      last_place_ = std::max(last_place_, coordinates_.place_of(key.key));
      rows_.insert(coordinates_.row_of(key.key));
    }
  }

  [[nodiscard]] std::string text() const {
    std::string text;
    for (auto row = rows_.rbegin(); row != rows_.rend(); ++row) {
      text += primitives(*row);
      for (const SceneLookup& lookup : model_.lookups)
        for (const SceneRay& ray : lookup.rays)
          if (ray.row == *row) text += ray_line(lookup, ray);
      if (std::next(row) != rows_.rend()) text += "\n";
    }
    return text;
  }

 private:
  [[nodiscard]] std::size_t column(float x) const {
    const double units = static_cast<double>(x / coordinates_.scale) + 0.5;
    return left_edge + static_cast<std::size_t>(std::lround(units * place_width));
  }

  [[nodiscard]] std::string primitives(std::uint64_t row) const {
    TextLine labels;
    TextLine line;
    TextLine ticks;
    labels.start("row");
    for (std::size_t i = column(-0.5F * coordinates_.scale);
         i <= column((static_cast<float>(last_place_) + 0.5F) * coordinates_.scale); ++i)
      line.put(i, "─");
    if (rows_.size() > 1)
      line.start(fmt::format("y = {:.0f}", coordinates_.y_of(row) / coordinates_.scale));
    ticks.start("key");
    for (std::uint32_t place = 0; place <= last_place_; ++place) {
      const std::size_t middle = column(coordinates_.x_of(place));
      const std::uint64_t key =
          (coordinates_.mode == KeyMode::three_d ? row << coordinates_.bits_x : 0) + place;
      std::string rows;
      std::size_t count = 0;
      for (const SceneKey& drawn : model_.keys)
        if (drawn.key == key) {
          rows += (rows.empty() ? "" : ",") + std::to_string(drawn.row);
          ++count;
        }
      labels.centre(middle, rows);
      for (std::size_t i = 0; i < count; ++i) line.put(middle - count / 2 + i, "▲");
      ticks.centre(middle, model_.key_text(key));
    }
    return labels.text() + line.text() + ticks.text();
  }

  [[nodiscard]] std::string ray_line(const SceneLookup& lookup, const SceneRay& ray) const {
    TextLine line;
    line.start(lookup.name);
    const float end = ray.ray.origin.x + ray.ray.t_max * ray.ray.direction.x;
    const std::size_t first = column(ray.ray.origin.x);
    const std::size_t last = column(end);
    for (std::size_t i = first; i <= last; ++i) line.put(i, "─");
    line.put(first, "●");
    line.put(last, ray.perpendicular ? "↑" : "▶");
    return line.text();
  }

  const SceneModel& model_;
  const Coordinates& coordinates_;
  std::set<std::uint64_t> rows_;
  std::uint32_t last_place_ = 0;
};

}  // namespace

std::string text_picture(const SceneModel& model) { return TextPicture(model).text(); }

}  // namespace rtindex::cli
