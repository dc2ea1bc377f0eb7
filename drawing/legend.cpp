#include "drawing/legend.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "drawing/marks.hpp"

namespace rtindex {

namespace {

constexpr double entry_height = 30;
constexpr double wrapped_height = 23;
constexpr double legend_text_size = 15;
constexpr double sample_width = 44;
constexpr double name_width = 36;
constexpr std::size_t max_listed_rows = 60;

std::string_view ray_text(RayKind kind) {
  switch (kind) {
    case RayKind::perpendicular: return "perpendicular";
    case RayKind::offset: return "parallel from offset";
    case RayKind::zero: return "parallel from zero";
  }
  return "";
}

std::string description(const SceneLookup& lookup) {
  std::string text = shortened(lookup.text, 60);
  if (lookup.rays.empty()) return text + ": outside the keys, no ray is cast";
  text += fmt::format(", {}", lookup.closest ? "closest hit" : ray_text(lookup.kind));
  if (lookup.rays.size() > 1) text += fmt::format(", {} rays", lookup.rays.size());
  return text;
}

double row_width(const SceneLookup& lookup) {
  double width = 24;
  for (const std::uint32_t row : lookup.rows)
    width = std::max(width, text_width(std::to_string(row), 12) + 12);
  return width;
}

// The layout of one lookup's texts and rows. Rows wrap at the right edge and stay aligned.
struct Entry {
  double arrow_x;  // right of the texts of all entries
  std::size_t per_line;
  std::size_t lines;
};

double text_end(const SceneModel& model) {
  double end = 0;
  for (const SceneLookup& lookup : model.lookups)
    end = std::max(end, text_width(description(lookup), legend_text_size));
  return sample_width + name_width + end + 14;
}

Entry entry_of(const SceneModel& model, const SceneLookup& lookup, double width) {
  Entry entry{text_end(model), 1, 1};
  const double room = width - entry.arrow_x - 78;
  entry.per_line = static_cast<std::size_t>(std::max(1.0, room / (row_width(lookup) + 4)));
  const std::size_t listed = std::min(lookup.rows.size(), max_listed_rows);
  entry.lines = std::max<std::size_t>(1, (listed + entry.per_line - 1) / entry.per_line);
  return entry;
}

double entry_size(const Entry& entry) {
  return entry_height + wrapped_height * static_cast<double>(entry.lines - 1);
}

void paint_answer(Svg& svg, const SceneLookup& lookup, const Entry& entry, PixelPoint at) {
  const double x = at.x + entry.arrow_x;
  const Attributes style = {{"fill", soft_ink}, {"font-size", legend_text_size}};
  if (lookup.rows.empty()) {
    svg.text(x, at.y + 5, "→  no rows", style);
    return;
  }
  svg.text(x, at.y + 5, lookup.rows.size() == 1 ? "→  row" : "→  rows", style);
  const double width = row_width(lookup);
  const std::size_t listed = std::min(lookup.rows.size(), max_listed_rows);
  double row_x = x;
  double row_y = at.y;
  for (std::size_t i = 0; i < listed; ++i) {
    const std::size_t line = i / entry.per_line;
    row_x = x + 66 + static_cast<double>(i % entry.per_line) * (width + 4);
    row_y = at.y + static_cast<double>(line) * wrapped_height;
    paint_label(svg, {row_x + width / 2, row_y}, width, lookup.rows[i]);
  }
  if (listed < lookup.rows.size())
    svg.text(row_x + width + 8, row_y + 5, fmt::format("and {} more", lookup.rows.size() - listed),
             style);
}

}  // namespace

double legend_width(const SceneModel& model) {
  double width = 0;
  for (const SceneLookup& lookup : model.lookups) {
    const auto rows = static_cast<double>(std::min<std::size_t>(lookup.rows.size(), 8));
    width = std::max(width, text_end(model) + 78 + rows * (row_width(lookup) + 4));
  }
  return width;
}

double legend_height(const SceneModel& model, double width) {
  double height = 0;
  for (const SceneLookup& lookup : model.lookups)
    height += entry_size(entry_of(model, lookup, width));
  return height;
}

void paint_legend(Svg& svg, const SceneModel& model, PixelPoint at, double width) {
  at.y += entry_height / 2;
  for (std::size_t i = 0; i < model.lookups.size(); ++i) {
    const SceneLookup& lookup = model.lookups[i];
    const std::string_view colour = ray_colour(i);
    const Entry entry = entry_of(model, lookup, width);
    svg.open("g", {{"class", "lookup"}, {"data-lookup", lookup.name}});
    if (!lookup.rays.empty()) {
      const PixelPoint from{at.x + 5, at.y};
      paint_line(svg, from, paint_arrow(svg, from, {at.x + 32, at.y}, colour), colour);
      paint_origin(svg, from, colour);
    }
    svg.text(at.x + sample_width, at.y + 5, lookup.name,
             {{"fill", colour}, {"font-size", legend_text_size}, {"font-weight", 700}});
    svg.text(at.x + sample_width + name_width, at.y + 5, description(lookup),
             {{"fill", ink}, {"font-size", legend_text_size}});
    paint_answer(svg, lookup, entry, at);
    svg.close();
    at.y += entry_size(entry);
  }
}

std::vector<std::string> scene_notes(const SceneModel& model, const SceneLayout& layout, bool bvh) {
  const Coordinates& coordinates = model.options.coordinates;
  std::vector<std::string> notes;
  const std::string base =
      model.whole_numbers && model.smallest != "0"
          ? fmt::format("key − {} (the smallest key)", shortened(model.smallest, 24))
          : "the encoded key";
  if (layout.lines().size() > 1)
    notes.push_back(
        fmt::format("3d mode, bits={}+{}+{}: x is the lowest {} bits of {}, y the next "
                    "{}{}.",
                    coordinates.bits_x, coordinates.bits_y, coordinates.bits_z, coordinates.bits_x,
                    base, coordinates.bits_y, layout.planes() > 1 ? ", z the rest" : ""));
  if (coordinates.mode == KeyMode::extended)
    notes.emplace_back(
        "Extended mode: the axis is not linear. Every second float32 from 0.5 on is a key, and "
        "the floats between them are the gaps.");
  bool from_zero = false;
  bool slack = false;
  for (const SceneLookup& lookup : model.lookups)
    for (const SceneRay& ray : lookup.rays) {
      from_zero |= lookup.kind == RayKind::zero;
      slack |= !ray.ray.t_decides && !ray.perpendicular;
    }
  if (from_zero)
    notes.emplace_back("Dotted: the part of a ray before t_min, where nothing counts as a hit.");
  if (slack)
    notes.emplace_back(
        "Thin ends: a long ray reaches a little further, because float32 rounds t; hits there are "
        "compared by key.");
  if (!layout.axis().breaks().empty() && model.hidden_keys == 0)
    notes.emplace_back("The axis breaks where no keys lie.");
  if (bvh)
    notes.emplace_back(
        "Bounding volumes: a median split, for illustration; the tracer's own hierarchy may "
        "differ.");
  return notes;
}

}  // namespace rtindex
