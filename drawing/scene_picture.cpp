#include "drawing/scene_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "drawing/column_table.hpp"
#include "drawing/legend.hpp"
#include "drawing/marks.hpp"
#include "drawing/scene_layout.hpp"
#include "drawing/scene_model.hpp"
#include "drawing/scene_painter.hpp"
#include "drawing/svg.hpp"

namespace rtindex {

namespace {

constexpr double margin = 32;
constexpr double head_height = 92;
constexpr double table_gap = 48;
constexpr double note_height = 18;
constexpr double note_size = 12.5;
constexpr double narrowest = 760;

std::string subtitle(const SceneModel& model) {
  const RxOptions& options = model.options;
  std::string text =
      fmt::format("{} {} as {}{} · rx:{} · mode={}", model.keys.size() + model.hidden_keys,
                  model.keys.size() == 1 ? "key" : "keys",
                  options.primitive == Primitive::aabb ? "boxes" : name_of(options.primitive),
                  options.primitive == Primitive::aabb || model.keys.size() == 1 ? "" : "s",
                  model.spec.tracer(), name_of(options.coordinates.mode));
  if (options.coordinates.mode == KeyMode::three_d)
    text += fmt::format(", bits={}", model.spec.option("bits", ""));
  if (options.coordinates.scale != 1)
    text += fmt::format(", scale={}", model.spec.option("scale", ""));
  return text;
}

std::string description(const SceneModel& model) {
  std::string text = subtitle(model) + ".";
  for (const SceneLookup& lookup : model.lookups) {
    text += fmt::format(" {}, {}: rows", lookup.name, lookup.text);
    for (const std::uint32_t row : lookup.rows) text += fmt::format(" {}", row);
    text += lookup.rows.empty() ? " none." : ".";
  }
  return text;
}

// The text in lines that fit the width.
std::vector<std::string> wrapped(const std::string& text, double width) {
  std::vector<std::string> lines(1);
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const double room = width - text_width(lines.back(), note_size);
    if (lines.back().empty())
      lines.back() = word;
    else if (text_width(word, note_size) + note_size / 2 <= room)
      lines.back().append(" ").append(word);
    else
      lines.push_back(word);
  }
  return lines;
}

}  // namespace

std::string scene_picture(const ColumnView& column, std::span<const Query> queries,
                          const Spec& spec, const PictureOptions& options) {
  const SceneModel model = make_scene_model(column, queries, spec);
  const SceneLayout layout(model, {options.bvh});
  const ColumnTable table(model, layout);
  const PixelBox scene = layout.bounds();

  double left = margin + (table.width() > 0 ? table.width() + table_gap : 0);
  if (layout.lines().size() > 1) left += 80;
  const double scene_width = scene.right - scene.left + 40;
  double width = left + scene_width + margin;
  width = std::max({width, narrowest, 2 * margin + text_width(options.title, 24),
                    2 * margin + text_width(subtitle(model), 14)});
  width = std::max(width, 2 * margin + legend_width(model));
  left += (width - margin - left - scene_width) / 2;  // centred in the remaining width

  std::vector<std::string> notes;
  if (model.hidden_keys != 0)
    notes.push_back(fmt::format("{} of {} keys are drawn; gaps of the axis hide the others.",
                                model.keys.size(), model.keys.size() + model.hidden_keys));
  for (const std::string& note : scene_notes(model, layout, options.bvh))
    for (std::string& line : wrapped(note, width - 2 * margin)) notes.push_back(std::move(line));
  const double scene_height = scene.bottom - scene.top;
  const double content = std::max(scene_height, table.height());
  const double legend_top = head_height + content + 26;
  const double legend = legend_height(model, width - 2 * margin);
  const double notes_top = legend_top + legend + (legend > 0 ? 14 : 0);
  const double height =
      notes_top + note_height * static_cast<double>(notes.size()) + (notes.empty() ? 6 : 20);

  Svg svg(width, height, options.title, description(model));
  svg.element("rect", {{"x", 0.5},
                       {"y", 0.5},
                       {"width", std::ceil(width) - 1},
                       {"height", std::ceil(height) - 1},
                       {"rx", 14},
                       {"fill", "#ffffff"},
                       {"stroke", hairline}});
  svg.text(margin, 46, options.title, {{"fill", ink}, {"font-size", 24}, {"font-weight", 700}});
  svg.text(margin, 70, subtitle(model), {{"fill", soft_ink}, {"font-size", 14}});
  table.paint(svg, {margin, head_height + (content - table.height()) / 2});

  svg.open("g",
           {{"transform", fmt::format("translate({:.2f} {:.2f})", left - scene.left + 20,
                                      head_height + (content - scene_height) / 2 - scene.top)}});
  paint_scene(svg, model, layout, options.bvh);
  svg.close();

  if (!model.lookups.empty() || !notes.empty())
    svg.element(
        "path",
        {{"d", path_through({{margin, legend_top - 12}, {width - margin, legend_top - 12}}, false)},
         {"stroke", hairline},
         {"stroke-width", 1}});
  paint_legend(svg, model, {margin, legend_top}, width - 2 * margin);
  for (std::size_t i = 0; i < notes.size(); ++i)
    svg.text(margin, notes_top + note_height * static_cast<double>(i) + 10, notes[i],
             {{"fill", soft_ink}, {"font-size", note_size}});
  return svg.finish();
}

}  // namespace rtindex
