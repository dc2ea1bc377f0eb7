#include "tracers/rx_options.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "answers/request.hpp"
#include "base/error.hpp"
#include "base/search.hpp"
#include "base/spec_options.hpp"

namespace rtindex {

namespace {

// The widest split in which every sphere is exact.
constexpr std::string_view sphere_bits = "22+22+20";

std::string_view backend_of(const Spec& spec) {
  return spec.tracer() == "optix" ? "rx:optix@cuda" : "rx:embree@cpu";
}

// The spec with the defaults that depend on other options, then with all others.
Spec with_all_defaults(const Spec& spec) {
  const auto is_open = [&](const char* name) { return !spec.options().contains(name); };
  Spec full = spec;
  if (is_open("bits") && option_text(spec, "mode") == "3d" &&
      option_text(spec, "primitive") == "sphere")
    full = full.with("bits", sphere_bits);
  if (is_open("range") && is_open("bucket") && option_text(spec, "mode") == "extended")
    full = full.with("range", "zero");
  return with_defaults(full, backend_of(spec));
}

template <class Enum>
Enum choose(const Spec& spec, std::string_view option, std::initializer_list<Enum> choices) {
  const std::string text = option_text(spec, option);
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
  for (std::size_t i = 0; i < column.size(); ++i) {
    if (column.keys[i] >> dropped <= largest) continue;
    const std::uint32_t row = column.row(i);
    const std::string left_out =
        dropped == 0 ? "" : fmt::format(" after the right shift of drop={}", dropped);
    fail("row {}: key {} is {} above the smallest key{}, but mode={} {}: use mode=3d,bits={}", row,
         key_text(row), column.keys[i] >> dropped, left_out, name_of(options.coordinates.mode),
         limit_text,
         options.primitive == Primitive::sphere ? std::string(sphere_bits)
                                                : option_text({}, "bits"));
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

RxOptions RxOptions::from(const Spec& given) {
  const Spec spec = with_all_defaults(given);
  RxOptions options;
  Coordinates& coordinates = options.coordinates;
  coordinates.mode = choose(spec, "mode", {KeyMode::naive, KeyMode::extended, KeyMode::three_d});
  const std::array<int, 3> bits = option_bits(spec, "bits");
  coordinates.bits_x = bits[0];
  coordinates.bits_y = bits[1];
  coordinates.bits_z = bits[2];
  coordinates.scale = std::ldexp(1.0F, option_exponent(spec, "scale"));
  options.primitive =
      choose(spec, "primitive", {Primitive::triangle, Primitive::sphere, Primitive::aabb});
  options.point = choose(spec, "point", {RayKind::perpendicular, RayKind::offset, RayKind::zero});
  options.range = choose(spec, "range", {RayKind::offset, RayKind::zero});
  options.bucket = static_cast<std::uint32_t>(option_number(spec, "bucket").value_or(0));
  if (const auto drop = option_number(spec, "drop")) options.drop = static_cast<int>(*drop);
  options.update = option_text(spec, "update") == "refit" ? Update::refit : Update::rebuild;
  options.row_rays = option_text(spec, "row_rays") == "all" ? RowRays::all : RowRays::occupied;
  // Refit needs an uncompacted structure, as in the paper.
  options.compact = option_text(spec, "compact") == "on" && options.update == Update::rebuild;
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

Spec RxOptions::complete(const Spec& spec) const {
  const auto exponent = static_cast<int>(std::lround(std::log2(coordinates.scale)));
  const Spec full = with_all_defaults(spec)
                        .with("scale", fmt::format("2^{}", exponent))
                        .with("compact", compact ? "on" : "off");
  if (coordinates.mode != KeyMode::three_d) return full;
  return full.with(
      "bits", fmt::format("{}+{}+{}", coordinates.bits_x, coordinates.bits_y, coordinates.bits_z));
}

std::string dropped_text(int bits) {
  return bits == 0
             ? std::string()
             : fmt::format("dropped: the lowest {} {} of keys\n", bits, bits == 1 ? "bit" : "bits");
}

namespace {

// The same of keys as the scene has them, without the bits that it leaves out.
bool is_exact_in_scene(const RxOptions& options, std::uint64_t span, double coordinate_limit) {
  const Coordinates& coordinates = options.coordinates;
  if (span > coordinates.largest_key()) return false;
  const Extremes most = extremes(coordinates, span);
  if (options.primitive == Primitive::sphere &&
      std::max({most.x, most.y, most.z}) >= sphere_axis_limit)
    return false;
  if (coordinates.mode == KeyMode::extended)
    return coordinates.gap_after(static_cast<std::uint32_t>(span)) < coordinate_limit;
  const auto largest = static_cast<double>(std::max({most.x, most.y, most.z}));
  return (largest + 0.5) * static_cast<double>(coordinates.scale) < coordinate_limit;
}

}  // namespace

bool is_exact(const RxOptions& options, std::uint64_t span, double coordinate_limit) {
  return is_exact_in_scene(options, span >> options.drop.value_or(0), coordinate_limit);
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

  const Extremes most = extremes(coordinates, column.span >> options.drop.value_or(0));
  const std::uint64_t reached = std::max({most.x, most.y, most.z});
  if (options.primitive == Primitive::sphere && reached >= sphere_axis_limit)
    fail(
        "spheres of radius 0.25 are exact only below coordinate 2^22, and this column reaches "
        "{}: use mode=3d,bits={}, or primitive=triangle",
        reached, sphere_bits);
  if (coordinates.mode != KeyMode::extended)
    fail(
        "this tracer finds {}s only below coordinate {:g}, and at this scale the column reaches "
        "{:g}: choose a smaller scale, or primitive=triangle",
        name_of(options.primitive), coordinate_limit,
        static_cast<double>(reached) * static_cast<double>(coordinates.scale));

  // What is left is extended mode beyond the tracer's largest coordinate.
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
