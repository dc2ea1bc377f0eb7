#include "cli/demo/demo.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/table.hpp"
#include "drawing/scene_model.hpp"

namespace rtindex::cli {

namespace {

struct ExampleLookup {
  std::string name;
  QueryKind kind;
  std::vector<std::uint32_t> lower, upper;  // one element each
};

struct Example {
  std::vector<std::string> articles;  // may be empty
  std::vector<std::uint32_t> keys;
  std::vector<ExampleLookup> lookups;
  Spec spec;
};

Example intro() {
  return {{"Juice", "Bread", "Cookies", "Coffee", "Donuts", "Wine"},
          {26, 25, 29, 23, 29, 27},
          {{"Q1", QueryKind::range, {23}, {25}},
           {"Q2", QueryKind::range, {27}, {27}},
           {"Q3", QueryKind::equal, {29}, {29}}},
          "rx"};
}

Example rows_of_scene() {
  return {
      {}, {19, 17, 23, 14, 12, 15, 20}, {{"Q4", QueryKind::range, {15}, {21}}}, "rx,bits=2+23+23"};
}

SceneModel answer(const Example& example) {
  std::vector<Query> queries;
  for (const ExampleLookup& lookup : example.lookups)
    queries.push_back(lookup.kind == QueryKind::equal ? Query::equal(lookup.lower)
                                                      : Query::range(lookup.lower, lookup.upper));
  SceneModel model = make_scene_model(example.keys, queries, example.spec);
  for (std::size_t i = 0; i < example.lookups.size(); ++i)
    model.lookups[i].name = example.lookups[i].name;
  return model;
}

void require_like_scan(const Example& example, const SceneModel& model) {
  for (std::size_t i = 0; i < example.lookups.size(); ++i) {
    const ExampleLookup& lookup = example.lookups[i];
    std::vector<std::uint32_t> expected;
    for (std::uint32_t row = 0; row < example.keys.size(); ++row)
      if (example.keys[row] >= lookup.lower[0] && example.keys[row] <= lookup.upper[0])
        expected.push_back(row);
    std::vector<std::uint32_t> found = model.lookups[i].rows;
    std::sort(found.begin(), found.end());
    if (found != expected)
      throw std::runtime_error(fmt::format("{}: expected the rows {}, got {}", lookup.name,
                                           fmt::join(expected, ", "), fmt::join(found, ", ")));
  }
}

void show_answers(const Example& example, const SceneModel& model) {
  Table table({"lookup", "", "rays", "rows hit", example.articles.empty() ? "" : "articles"});
  for (const SceneLookup& lookup : model.lookups) {
    std::vector<std::string> articles;
    if (!example.articles.empty())
      for (const std::uint32_t row : lookup.rows) articles.push_back(example.articles[row]);
    table.add({lookup.name, lookup.text,
               fmt::format("{} {}", lookup.rays.size(),
                           lookup.rays.front().perpendicular ? "across" : "along x"),
               fmt::format("{}", fmt::join(lookup.rows, ", ")),
               fmt::format("{}", fmt::join(articles, ", "))});
  }
  fmt::print("{}  A scan of the column finds the same rows.\n\n", table.text(2));
}

}  // namespace

void show_paper_examples() {
  const Example table = intro();
  const SceneModel line = answer(table);
  require_like_scan(table, line);
  fmt::print(
      "A column as a scene, with the example of the RTIndeX paper (PVLDB 16, figure 1)\n"
      "Every key becomes a triangle, every lookup a ray; the ray hits the matching rows.\n\n");
  Table articles({"row", "article", "category"});
  for (std::size_t row = 0; row < table.keys.size(); ++row)
    articles.add({std::to_string(row), table.articles[row], std::to_string(table.keys[row])});
  fmt::print("{}\n{}\n", articles.text(2), text_picture(line));
  show_answers(table, line);

  const Example rows = rows_of_scene();
  const SceneModel plane = answer(rows);
  require_like_scan(rows, plane);
  fmt::print(
      "Keys of 64 bits do not fit one float32 axis: their low bits become x, the next y, then z.\n"
      "In the paper's example x has two bits; a range casts one ray along each row it "
      "touches.\n\n");
  fmt::print("{}\n", text_picture(plane));
  show_answers(rows, plane);
}

}  // namespace rtindex::cli
