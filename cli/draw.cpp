#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/batch.hpp"
#include "cli/loaded_query.hpp"
#include "cli/neighbour_options.hpp"
#include "cli/reading.hpp"
#include "cli/verbs.hpp"
#include "cli/where.hpp"
#include "column_files/column_file.hpp"
#include "drawing/interval_picture.hpp"
#include "drawing/point_picture.hpp"
#include "drawing/scene_picture.hpp"
#include "file/atomic_file.hpp"

namespace rtindex::cli {

namespace {

struct DrawOptions {
  std::string column, format, csv_column, output, title;
  std::string index = "rx";
  std::vector<std::string> keys, ranges, nearest, contains, overlaps;
  BatchOptions intervals;  // of which the column of intervals is used
  WhereOptions where;
  NeighbourOptions neighbours;
  bool bvh = false;
};

LoadedQuery parse_range(const std::string& text, const LoadedColumn& column) {
  const RangeText range = split_range(text, column);
  return {.settings = {.kind = QueryKind::range},
          .lower = inline_keys({range.lower}, "--range", column),
          .upper = inline_keys({range.upper}, "--range", column),
          .has_upper = true};
}

LoadedQuery parse_nearest(const std::string& text, const NeighbourOptions& neighbours,
                          const LoadedColumn& column) {
  return {.settings = Query::nearest({}, neighbours.options(column)),
          .lower = inline_keys({text}, "--nearest", column)};
}

LoadedQuery parse_overlaps(const std::string& text, const LoadedColumn& points) {
  LoadedQuery query = parse_range(text, points);
  query.settings.kind = QueryKind::overlaps;
  return query;
}

// The lookups in the order of the command line.
std::vector<LoadedQuery> parse_lookups(const CLI::App& verb, const DrawOptions& options,
                                       const LoadedColumn& column) {
  std::vector<LoadedQuery> lookups;
  std::size_t next_key = 0;
  std::size_t next_range = 0;
  if (options.nearest.empty() && options.neighbours.direction != "backward")
    fail("--direction needs --nearest: add it, or remove --direction");
  std::size_t next_nearest = 0;
  std::size_t next_contains = 0;
  std::size_t next_overlaps = 0;
  for (const CLI::Option* option : verb.parse_order()) {
    if (option->get_name() == "--key")
      lookups.push_back({.lower = inline_keys({options.keys[next_key++]}, "--key", column)});
    else if (option->get_name() == "--range")
      lookups.push_back(parse_range(options.ranges[next_range++], column));
    else if (option->get_name() == "--nearest")
      lookups.push_back(parse_nearest(options.nearest[next_nearest++], options.neighbours, column));
    else if (option->get_name() == "--contains")
      lookups.push_back(
          {.settings = Query::contains({}),
           .lower = inline_keys({options.contains[next_contains++]}, "--contains", column)});
    else if (option->get_name() == "--overlaps")
      lookups.push_back(parse_overlaps(options.overlaps[next_overlaps++], column));
    else
      continue;
    lookups.back().require_fit(column);
  }
  return lookups;
}

void require_svg(const std::string& output) {
  const std::string extension = std::filesystem::path(output).extension().string();
  if (extension == ".svg") return AtomicFile::require_writable(output);
  const std::string stem = output.substr(0, output.size() - extension.size());
  fail(
      "invalid -o {}: expected a name that ends in .svg, because pictures are SVG; convert one "
      "with "
      "a browser, or rsvg-convert {}.svg -o {}.png",
      output, stem, stem);
}

LoadedColumn load_points(DrawOptions& options) {
  if (!options.keys.empty() || !options.ranges.empty() || !options.nearest.empty() ||
      !options.contains.empty() || !options.overlaps.empty())
    fail("points are drawn with --where: remove the other queries");
  BatchOptions points = options.intervals;
  points.columns = {options.column};
  points.format = options.format;
  options.where.add_columns_to(points);
  return points.load_column();
}

LoadedColumn load_drawn(const DrawOptions& options) {
  if (!options.contains.empty() || !options.overlaps.empty() ||
      options.intervals.intervals.has_value()) {
    BatchOptions intervals = options.intervals;
    if (!options.column.empty()) intervals.columns = {options.column};
    intervals.format = options.format;
    intervals.intervals.require_complete();
    if (!options.keys.empty() || !options.ranges.empty() || !options.nearest.empty())
      fail(
          "intervals are drawn with --contains and --overlaps: remove --key, --range and "
          "--nearest");
    return intervals.load_column();
  }
  if (options.column.empty()) fail("missing column: pass --column FILE");
  ColumnFile file{.path = options.column,
                  .csv_column = {.name = options.csv_column},
                  .csv_format = options.intervals.csv.format()};
  if (!options.format.empty()) file.format = file_format_named(options.format);
  return read_column(file, Progress::on_terminal_only());
}

void draw(const CLI::App& verb, DrawOptions options) {
  require_svg(options.output);
  const bool are_points = options.where.has_value();
  if (options.column.empty() && are_points) fail("missing column: pass --column FILE");
  const LoadedColumn column = are_points ? load_points(options) : load_drawn(options);
  const bool intervals = column.interval_ends().has_value();
  const LoadedColumn points = intervals ? column.points() : LoadedColumn();
  std::vector<LoadedQuery> lookups;
  if (are_points)
    lookups.push_back(options.where.query(column, Ends::closed, options.intervals.csv));
  else
    lookups = parse_lookups(verb, options, intervals ? points : column);
  options.intervals.csv.require_effect();
  options.intervals.csv.require_columns("--csv-column", {options.csv_column});
  std::vector<Query> queries;
  queries.reserve(lookups.size());
  for (const LoadedQuery& lookup : lookups) queries.push_back(lookup.all());

  PictureOptions picture{options.title, options.bvh};
  if (picture.title.empty()) picture.title = std::filesystem::path(column.name()).stem().string();
  const std::string svg = are_points ? point_picture(column.view(), queries.front(), picture)
                          : intervals
                              ? interval_picture(column.view(), queries, picture)
                              : scene_picture(column.view(), queries, Spec(options.index), picture);
  AtomicFile out(options.output);
  out.append(std::as_bytes(std::span(svg)));
  out.commit();
}

constexpr const char* draw_examples = R"help(Examples:
  rtindex draw --column category.npy --range 23:25 --range 27:27 --key 29 -o intro.svg
      Three lookups on one line of triangles.
  rtindex draw --column keys.npy --range 15:21 --index rx,bits=2+23+23 -o rows.svg
      Two bits of the key on the x axis: the range needs a ray for each row.
  rtindex draw --column keys.npy --range 2:3 --index rx,range=zero -o from-zero.svg
      A ray that starts at zero, and counts hits from the lower bound on.
  rtindex draw --column keys.npy --nearest 16 --index rx,bits=2+23+23 -o neighbour.svg
      The closest hit along the row of the key, or along the next occupied row.
  rtindex draw --column keys.npy --index rx,primitive=sphere --bvh -o spheres.svg
      Spheres, and a hierarchy of bounding volumes around them.
  rtindex draw --column prices.csv --start from --end to --ends "[)" --contains 2024-01-31 \
               --overlaps 2024-02-05:2024-03-01 -o prices.svg
      Intervals, a ray across those that contain a day, and one along a range.
  rtindex draw --column sales.csv --where price=10:20 --where day=2024-01-10: -o sales.svg
      Points of two columns in their cells, a box and its rays.

The picture shows the primitives and rays of a real index that answers the lookups.)help";

}  // namespace

void add_draw(CLI::App& app) {
  auto options = std::make_shared<DrawOptions>();
  CLI::App* verb = app.add_subcommand(
      "draw", "Draw the scene of a small column and the rays of lookups as SVG.");
  verb->get_help_ptr()->description("Print this help");
  verb->add_option("--column", options->column,
                   "File with the keys to draw, at most 200 rows; of more than\n"
                   "60 keys some are hidden by gaps")
      ->type_name("FILE")
      ->group(input_group);
  verb->add_option("--format", options->format,
                   "npy, sosd32, sosd64 or csv, for an unknown extension")
      ->type_name("FORMAT")
      ->group(input_group);
  verb->add_option("--csv-column", options->csv_column, "Column of a CSV file, by name")
      ->type_name("NAME")
      ->group(input_group);
  verb->add_option("--key", options->keys,
                   "A point lookup; repeatable. Dates and times as 2024-01-31\n"
                   "and 2024-01-31T12:30:05")
      ->allow_extra_args(false)
      ->type_name("K")
      ->group(input_group);
  verb->add_option("--range", options->ranges, "A range lookup, both bounds included; repeatable")
      ->allow_extra_args(false)
      ->type_name("L:U")
      ->group(input_group);
  verb->add_option("--nearest", options->nearest, "The neighbour of a key; repeatable")
      ->allow_extra_args(false)
      ->type_name("K")
      ->group(input_group);
  options->intervals.csv.add_to(*verb);
  options->intervals.intervals.add_to(*verb);
  verb->add_option("--contains", options->contains, "The intervals that contain a key; repeatable")
      ->allow_extra_args(false)
      ->type_name("K")
      ->group(interval_group);
  verb->add_option("--overlaps", options->overlaps,
                   "The intervals that overlap a range; repeatable")
      ->allow_extra_args(false)
      ->type_name("L:U")
      ->group(interval_group);
  options->where.add_to(*verb, "Points");
  verb->add_option("--direction", options->neighbours.direction,
                   "Of neighbours: backward (default), forward or nearest")
      ->type_name("DIRECTION")
      ->group(input_group);
  verb->add_option("--index", options->index,
                   "Key mode, primitive and ray kind (rx, with a tracer that casts rays);\n"
                   "`rtindex indexes` explains specs")
      ->type_name("SPEC")
      ->group(index_group);
  verb->add_option("-o,--output", options->output, "The picture")
      ->required()
      ->type_name("FILE.svg")
      ->group(output_group);
  verb->add_option("--title", options->title, "The title (the name of the column's file)")
      ->type_name("TEXT")
      ->group(output_group);
  verb->add_flag("--bvh", options->bvh,
                 "Add bounding volumes: a median split of the drawn primitives,\n"
                 "because Embree does not expose its own")
      ->group(output_group);
  verb->footer(draw_examples);
  verb->callback([verb, options] { draw(*verb, *options); });
}

}  // namespace rtindex::cli
