#include "kinds/scene/rx_options.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "answers/request.hpp"
#include "base/error.hpp"
#include "base/search.hpp"

namespace rtindex {

namespace {

using Number = SpecOption::Number;
using Topic = SpecOption::Topic;

constexpr SpecOption mode_option = {.name = "mode",
                                    .topic = Topic::scene,
                                    .words = {"naive", "extended", "3d"},
                                    .fallback = "3d",
                                    .help = "how a key becomes coordinates"};
// A float32 coordinate is exact, with room for +-0.5 beside it, below 2^23.
constexpr SpecOption bits_option = {
    .name = "bits",
    .topic = Topic::scene,
    .number = Number::bits,
    .min = 0,
    .max = 23,
    .fallback = "23+23+18",
    .fallback_text = "23+23+18, spheres 22+22+20",
    .needs = "mode=3d",
    .help = "bits of the key on each axis in 3d mode, at most 23 each"};
// Beyond 2^30, products of three edge lengths in a ray-triangle test leave float32's range.
constexpr SpecOption scale_option = {.name = "scale",
                                     .topic = Topic::scene,
                                     .number = Number::exponent,
                                     .min = -30,
                                     .max = 30,
                                     .fallback = "2^0",
                                     .help = "factor of all coordinates, N from -30 to 30"};
constexpr SpecOption primitive_option = {.name = "primitive",
                                         .topic = Topic::scene,
                                         .words = {"triangle", "sphere", "aabb"},
                                         .fallback = "triangle",
                                         .help = "the shape of a key in the scene"};
constexpr SpecOption point_option = {.name = "point",
                                     .topic = Topic::scene,
                                     .words = {"perpendicular", "offset", "zero"},
                                     .fallback = "perpendicular",
                                     .excludes = "bucket",
                                     .help = "the ray of a point lookup"};
constexpr SpecOption range_option = {.name = "range",
                                     .topic = Topic::scene,
                                     .words = {"offset", "zero"},
                                     .fallback = "offset",
                                     .fallback_text = "offset, in extended mode zero",
                                     .excludes = "bucket",
                                     .help = "the origin of a range lookup's ray"};
constexpr SpecOption compact_option = {
    .name = "compact",
    .topic = Topic::scene,
    .words = {"on", "off"},
    .fallback = "off",
    .help = "a smaller acceleration structure, for slower lookups on Embree"};
constexpr SpecOption update_option = {.name = "update",
                                      .topic = Topic::scene,
                                      .words = {"rebuild", "refit"},
                                      .fallback = "rebuild",
                                      .help = "how updates change the acceleration structure"};
constexpr SpecOption row_rays_option = {
    .name = "row_rays",
    .topic = Topic::scene,
    .words = {"occupied", "all"},
    .fallback = "occupied",
    .excludes = "bucket",
    .help = "the rows that a range in 3d mode casts rays along: those with keys, or all"};
constexpr SpecOption bucket_option = {.name = "bucket",
                                      .topic = Topic::scene,
                                      .number = Number::whole,
                                      .min = 1,
                                      .max = 1 << 30,
                                      .fallback_text = "none: one primitive per key",
                                      .help = "sorted keys that share one primitive"};
constexpr SpecOption drop_option = {
    .name = "drop",
    .topic = Topic::scene,
    .words = {"auto"},
    .number = Number::whole,
    .min = 0,
    .max = 63,
    .fallback = "auto",
    .fallback_text = "auto: those that the scene does not need",
    .needs = "bucket",
    .help = "with buckets, low bits of keys that the scene leaves out"};

// The widest split in which every sphere is exact.
constexpr std::string_view sphere_bits = "22+22+20";

// The spec with the defaults that depend on other options.
Spec with_dependent_defaults(const Spec& spec) {
  const std::string mode = mode_option.text(spec);
  Spec full = spec;
  if (!bits_option.is_set(spec) && mode == "3d" && primitive_option.text(spec) == "sphere")
    full = bits_option.set(full, sphere_bits);
  if (!range_option.is_set(spec) && !bucket_option.is_set(spec) && mode == "extended")
    full = range_option.set(full, "zero");
  return full;
}

template <class Enum>
Enum choose(const Spec& spec, const SpecOption& option, std::initializer_list<Enum> choices) {
  const std::string text = option.text(spec);
  for (const Enum choice : choices)
    if (name_of(choice) == text) return choice;
  return *choices.begin();
}

// The largest coordinate that any key up to `span` has on each axis, before scaling.
struct Extremes {
  std::uint64_t x, y, z;
};

Extremes extremes(const Coordinates& coordinates, std::uint64_t span) {
  const std::uint64_t row = coordinates.row_of(span);
  const std::uint64_t y_mask = (std::uint64_t{1} << coordinates.bits_y) - 1;
  return {row == 0 ? coordinates.place_of(span) : coordinates.last_place(),
          row <= y_mask ? row : y_mask, row >> coordinates.bits_y};
}

void require_span(const RxOptions& options, const EncodedColumn& column, std::uint64_t largest,
                  const KeyText& key_text, const std::string& limit_text) {
  const int dropped = options.drop.value_or(0);
  if (column.span >> dropped <= largest) return;
  const PackedKeys& keys = column.ends.size() != 0 ? column.ends : column.keys;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] >> dropped <= largest) continue;
    const std::uint32_t row = column.row(i);
    const std::string left_out =
        dropped == 0 ? "" : fmt::format(" after the right shift of drop={}", dropped);
    fail("row {}: key {} is {} above the smallest key{}, but mode={} {}: use mode=3d,bits={}", row,
         key_text(row), keys[i] >> dropped, left_out, name_of(options.coordinates.mode), limit_text,
         options.primitive == Primitive::sphere ? sphere_bits : bits_option.fallback);
  }
}

}  // namespace

std::string_view name_of(KeyMode mode) {
  if (mode == KeyMode::naive) return "naive";
  return mode == KeyMode::extended ? "extended" : "3d";
}

std::string_view name_of(Primitive primitive) {
  if (primitive == Primitive::triangle) return "triangle";
  return primitive == Primitive::sphere ? "sphere" : "aabb";
}

std::string_view name_of(RayKind kind) {
  if (kind == RayKind::perpendicular) return "perpendicular";
  return kind == RayKind::offset ? "offset" : "zero";
}

std::vector<SpecOption> RxOptions::declared() {
  return {mode_option,     bits_option,   scale_option,   primitive_option,
          point_option,    range_option,  compact_option, update_option,
          row_rays_option, bucket_option, drop_option};
}

RxOptions RxOptions::from(const Spec& spec) {
  const Spec full = with_dependent_defaults(spec);
  RxOptions options;
  Coordinates& coordinates = options.coordinates;
  coordinates.mode =
      choose(full, mode_option, {KeyMode::naive, KeyMode::extended, KeyMode::three_d});
  const std::array<int, 3> bits = bits_option.bits(full);
  coordinates.bits_x = bits[0];
  coordinates.bits_y = bits[1];
  coordinates.bits_z = bits[2];
  coordinates.scale = std::ldexp(1.0F, scale_option.exponent(full));
  options.primitive =
      choose(full, primitive_option, {Primitive::triangle, Primitive::sphere, Primitive::aabb});
  options.point =
      choose(full, point_option, {RayKind::perpendicular, RayKind::offset, RayKind::zero});
  options.range = choose(full, range_option, {RayKind::offset, RayKind::zero});
  options.bucket = static_cast<std::uint32_t>(bucket_option.whole(full).value_or(0));
  if (const auto drop = drop_option.whole(full)) options.drop = static_cast<int>(*drop);
  options.update = update_option.text(full) == "refit" ? Update::refit : Update::rebuild;
  options.row_rays = row_rays_option.text(full) == "all" ? RowRays::all : RowRays::occupied;
  // Refit needs an uncompacted structure, as in the paper.
  options.compact = compact_option.text(full) == "on" && options.update == Update::rebuild;
  options.require_exact_rays();
  return options;
}

void RxOptions::require_exact_rays() const {
  if (bucket != 0) {
    if (primitive != Primitive::triangle)
      fail("bucket={} needs exact closest hits: use primitive=triangle", bucket);
    if (update != Update::rebuild)
      fail("bucket={} sorts the keys again after an update: use update=rebuild", bucket);
  }
  if (coordinates.mode != KeyMode::extended) return;
  if (primitive == Primitive::sphere)
    fail(
        "mode=extended has no room for spheres between its keys: use primitive=triangle or aabb, "
        "or mode=3d");
  if (bucket == 0 && range == RayKind::offset)
    fail("range=offset loses float32 precision in mode=extended: use range=zero");
  if (bucket == 0 && point == RayKind::offset)
    fail(
        "point=offset loses float32 precision in mode=extended: use point=perpendicular or "
        "point=zero");
}

Spec RxOptions::complete(const Spec& spec, const Kind& kind) {
  Spec full = with_defaults(with_dependent_defaults(spec), kind.name(), kind.options);
  const RxOptions rx = from(full);
  const Coordinates& coordinates = rx.coordinates;
  const auto exponent = static_cast<int>(std::lround(std::log2(coordinates.scale)));
  full = scale_option.set(full, fmt::format("2^{}", exponent));
  full = compact_option.set(full, rx.compact ? "on" : "off");
  if (coordinates.mode != KeyMode::three_d) return full;
  return bits_option.set(
      full, fmt::format("{}+{}+{}", coordinates.bits_x, coordinates.bits_y, coordinates.bits_z));
}

std::string dropped_text(int bits) {
  return bits == 0
             ? std::string()
             : fmt::format("dropped: the lowest {} {} of keys\n", bits, bits == 1 ? "bit" : "bits");
}

namespace {

// is_exact() for keys of the scene, without the bits that it drops.
bool is_exact_in_scene(const RxOptions& options, std::uint64_t span, double coordinate_limit) {
  const Coordinates& coordinates = options.coordinates;
  if (span > coordinates.largest_key()) return false;
  const Extremes largest_axes = extremes(coordinates, span);
  if (options.primitive == Primitive::sphere &&
      std::max({largest_axes.x, largest_axes.y, largest_axes.z}) >= sphere_axis_limit)
    return false;
  if (coordinates.mode == KeyMode::extended)
    return coordinates.gap_after(static_cast<std::uint32_t>(span)) < coordinate_limit;
  const auto largest =
      static_cast<double>(std::max({largest_axes.x, largest_axes.y, largest_axes.z}));
  return (largest + 0.5) * static_cast<double>(coordinates.scale) < coordinate_limit;
}

}  // namespace

bool is_exact(const RxOptions& options, std::uint64_t span, double coordinate_limit) {
  return is_exact_in_scene(options, span >> options.drop.value_or(0), coordinate_limit);
}

std::uint64_t max_exact_span(const RxOptions& options, double coordinate_limit) {
  constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
  if (is_exact(options, largest, coordinate_limit)) return largest;
  return partition_point<std::uint64_t>(
             0, largest,
             [&](std::uint64_t span) { return is_exact(options, span, coordinate_limit); }) -
         1;
}

void require_exact(const RxOptions& options, const EncodedColumn& column, const KeyText& key_text,
                   double coordinate_limit) {
  if (is_exact(options, column.span, coordinate_limit)) return;
  const Coordinates& coordinates = options.coordinates;
  const std::uint64_t largest = coordinates.largest_key();
  if (coordinates.mode == KeyMode::three_d) {
    const int bits = coordinates.bits_x + coordinates.bits_y + coordinates.bits_z;
    require_span(options, column, largest, key_text,
                 fmt::format("with bits={}+{}+{} holds a span below 2^{}", coordinates.bits_x,
                             coordinates.bits_y, coordinates.bits_z, bits));
  } else {
    require_span(
        options, column, largest, key_text,
        fmt::format("holds a span below 2^{}", coordinates.mode == KeyMode::naive ? 23 : 29));
  }

  const Extremes largest_axes = extremes(coordinates, column.span >> options.drop.value_or(0));
  const std::uint64_t reached = std::max({largest_axes.x, largest_axes.y, largest_axes.z});
  if (options.primitive == Primitive::sphere && reached >= sphere_axis_limit)
    fail(
        "spheres of radius 0.25 are exact only below coordinate 2^22, and this column reaches "
        "{}: use mode=3d,bits={}, or primitive=triangle",
        reached, sphere_bits);
  if (coordinates.mode != KeyMode::extended)
    fail(
        "this tracer finds {}s only below coordinate {:g}, and at this scale the column reaches "
        "{:g}: choose a smaller scale{}",
        name_of(options.primitive), coordinate_limit,
        static_cast<double>(reached) * static_cast<double>(coordinates.scale),
        column.ends.size() != 0 ? "" : ", or primitive=triangle");

  // The remaining case: extended mode beyond the tracer's largest coordinate.
  const std::uint64_t last_exact =
      partition_point<std::uint64_t>(
          1, largest + 1,
          [&](std::uint64_t key) { return is_exact_in_scene(options, key, coordinate_limit); }) -
      1;
  require_span(options, column, last_exact, key_text,
               fmt::format("holds a span up to {} on this tracer, whose largest coordinate is {:g}",
                           last_exact, coordinate_limit));
  fail("mode={} does not hold a span of {}: use mode=3d", name_of(coordinates.mode), column.span);
}

void require_few_row_rays(const RxOptions& options, std::uint64_t span, const LookupBatch& batch) {
  const Coordinates& coordinates = options.coordinates;
  if (options.row_rays != RowRays::all || batch.kind() == QueryKind::equal ||
      coordinates.row_of(span) < max_row_rays)
    return;
  if (batch.memory_space() == MemorySpace::device)
    fail(
        "row_rays=all casts at most 2^24 rays a lookup, which cannot be checked for lookups in "
        "device memory, and this column has {} rows: use row_rays=occupied or more x bits",
        coordinates.row_of(span) + 1);
  Interval intervals[chunk_lookups];
  std::uint8_t checks[chunk_lookups];
  for (std::size_t first = 0; first < batch.size(); first += chunk_lookups) {
    const std::size_t count = std::min(chunk_lookups, batch.size() - first);
    batch.encode(first, count, intervals, checks);
    for (std::size_t i = 0; i < count; ++i) {
      if (intervals[i].empty()) continue;
      const std::uint64_t rows =
          coordinates.row_of(intervals[i].upper) - coordinates.row_of(intervals[i].lower) + 1;
      if (rows > max_row_rays)
        fail(
            "range {} crosses {} rows, and row_rays=all casts at most 2^24 rays a lookup: use "
            "row_rays=occupied or more x bits",
            first + i, rows);
    }
  }
}

}  // namespace rtindex
