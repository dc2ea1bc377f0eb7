#include "tracers/rx_options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/error.hpp"

namespace rtindex {

namespace {

// Beyond this, products of three edge lengths in a ray-triangle test leave float32's range.
constexpr int max_scale = 30;

constexpr std::string_view default_bits = "23+23+18";
// The widest split in which every sphere is exact.
constexpr std::string_view sphere_bits = "22+22+20";

int to_number(std::string_view text, std::string_view option, std::string_view form) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::result_out_of_range)
    fail("'{}' in {} is too large: write {}", text, option, form);
  if (error != std::errc() || end != text.data() + text.size())
    fail("'{}' in {} is no whole number: write {}", text, option, form);
  return number;
}

void parse_bits(Coordinates& coordinates, const std::string& text) {
  const std::size_t first = text.find('+');
  const std::size_t second = first == std::string::npos ? first : text.find('+', first + 1);
  if (second == std::string::npos)
    fail("bits={} is no split of a key: write bits=X+Y+Z, for example bits={}", text, default_bits);
  constexpr std::string_view form = "bits=X+Y+Z, for example bits=23+23+18";
  coordinates.bits_x = to_number(text.substr(0, first), "bits", form);
  coordinates.bits_y = to_number(text.substr(first + 1, second - first - 1), "bits", form);
  coordinates.bits_z = to_number(text.substr(second + 1), "bits", form);
  for (const int bits : {coordinates.bits_x, coordinates.bits_y, coordinates.bits_z})
    if (bits < 0 || bits > max_axis_bits)
      fail(
          "bits={}: an axis holds 0 to {} bits, because a float32 coordinate is exact with room "
          "for +-0.5 only below 2^{}",
          text, max_axis_bits, max_axis_bits);
  const int total = coordinates.bits_x + coordinates.bits_y + coordinates.bits_z;
  if (total < 1 || total > 64) fail("bits={} adds up to {}: a key has 1 to 64 bits", text, total);
}

float parse_scale(const std::string& text) {
  if (!text.starts_with("2^")) fail("scale={} is no power of two: write scale=2^N", text);
  const int exponent = to_number(std::string_view(text).substr(2), "scale", "scale=2^N");
  if (std::abs(exponent) > max_scale)
    fail("scale={} is beyond 2^-{} to 2^{}: ray-triangle tests would leave float32's range", text,
         max_scale, max_scale);
  return std::ldexp(1.0F, exponent);
}

template <class Enum>
Enum choose(const std::string& text, std::initializer_list<Enum> choices) {
  for (const Enum choice : choices)
    if (name_of(choice) == text) return choice;
  fail("'{}' is no choice here", text);
}

constexpr int most_keys_of_a_bucket = 1 << 30;

// Bits that the scene of buckets leaves out.
std::optional<int> parse_drop(const Spec& spec) {
  const std::string text = spec.option("drop", "auto");
  if (spec.options().contains("drop") && !spec.options().contains("bucket"))
    fail("drop={} is a setting of buckets, whose keys are compared after the rays: add bucket=N",
         text);
  if (text == "auto") return std::nullopt;
  const int bits = to_number(text, "drop", "drop=auto, or drop=N for the lowest N bits");
  if (bits < 0 || bits > 63) fail("drop={} is not possible: write drop=auto or 0 to 63", text);
  return bits;
}

// Coarse-granular RX has one kind of primitive and of ray, and is sorted again by updates.
std::uint32_t parse_bucket(const Spec& spec) {
  if (!spec.options().contains("bucket")) {
    for (const char* name : {"order", "gather"})
      if (spec.options().contains(name))
        fail("{} is a setting of sorted keys: add bucket=N, or use rx:native", name);
    return 0;
  }
  const std::string text = spec.option("bucket", "");
  const int keys = to_number(text, "bucket", "bucket=N, for example bucket=16");
  if (keys < 1 || keys > most_keys_of_a_bucket)
    fail("bucket={} is not possible: write a number of keys from 1 to {}", text,
         most_keys_of_a_bucket);
  for (const char* name : {"point", "range", "row_rays"})
    if (spec.options().contains(name))
      fail("bucket={} finds every key by closest hits, which {} does not change: leave {} out",
           text, name, name);
  if (spec.option("primitive", "triangle") != "triangle")
    fail("bucket={} needs the closest hit exactly where it is: use primitive=triangle", text);
  if (spec.option("update", "rebuild") != "rebuild")
    fail("bucket={} sorts its keys again after an update: use update=rebuild", text);
  return static_cast<std::uint32_t>(keys);
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
         limit_text, options.primitive == Primitive::sphere ? sphere_bits : default_bits);
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

RxOptions RxOptions::from(const Spec& spec) {
  RxOptions options;
  Coordinates& coordinates = options.coordinates;
  coordinates.mode =
      choose(spec.option("mode", "3d"), {KeyMode::naive, KeyMode::extended, KeyMode::three_d});
  const bool extended = coordinates.mode == KeyMode::extended;
  options.primitive = choose(spec.option("primitive", "triangle"),
                             {Primitive::triangle, Primitive::sphere, Primitive::aabb});
  options.point = choose(spec.option("point", "perpendicular"),
                         {RayKind::perpendicular, RayKind::offset, RayKind::zero});
  options.range =
      choose(spec.option("range", extended ? "zero" : "offset"), {RayKind::offset, RayKind::zero});
  options.bucket = parse_bucket(spec);
  options.drop = parse_drop(spec);
  const bool spheres = options.primitive == Primitive::sphere;
  if (coordinates.mode != KeyMode::three_d && spec.options().contains("bits"))
    fail("bits is a setting of mode=3d: leave it out with mode={}", name_of(coordinates.mode));
  parse_bits(coordinates, spec.option("bits", spheres ? sphere_bits : default_bits));
  coordinates.scale = parse_scale(spec.option("scale", "2^0"));

  if (extended && spheres)
    fail(
        "mode=extended has no room for spheres between its keys: use primitive=triangle or aabb, "
        "or mode=3d");
  if (extended && options.range == RayKind::offset)
    fail(
        "mode=extended knows only rays from zero for ranges (an offset origin loses float32 "
        "precision): use range=zero");
  if (extended && options.point == RayKind::offset)
    fail("mode=extended knows no rays from an offset: use point=perpendicular or point=zero");

  options.update = spec.option("update", "rebuild") == "refit" ? Update::refit : Update::rebuild;
  options.row_rays =
      spec.option("row_rays", "occupied") == "all" ? RowRays::all : RowRays::occupied;
  // Refit needs an uncompacted structure, as in the paper.
  options.compact = spec.option("compact", "off") == "on" && options.update == Update::rebuild;
  return options;
}

Spec RxOptions::full(const Spec& spec) const {
  const auto scale_exponent = static_cast<int>(std::lround(std::log2(coordinates.scale)));
  Spec full = spec.with("mode", name_of(coordinates.mode))
                  .with("scale", fmt::format("2^{}", scale_exponent))
                  .with("primitive", name_of(primitive))
                  .with("compact", compact ? "on" : "off")
                  .with("update", update == Update::refit ? "refit" : "rebuild");
  if (bucket != 0)
    full = full.with("bucket", std::to_string(bucket))
               .with("drop", drop ? std::to_string(*drop) : "auto")
               .with("order", spec.option("order", "auto"));
  else
    full = full.with("point", name_of(point))
               .with("range", name_of(range))
               .with("row_rays", row_rays == RowRays::all ? "all" : "occupied");
  if (coordinates.mode == KeyMode::three_d)
    full = full.with("bits", fmt::format("{}+{}+{}", coordinates.bits_x, coordinates.bits_y,
                                         coordinates.bits_z));
  return full;
}

std::string dropped_text(int bits) {
  return bits == 0 ? std::string()
                   : fmt::format("places: of keys without their lowest {} {}\n", bits,
                                 bits == 1 ? "bit" : "bits");
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
  std::uint64_t low = 0;
  std::uint64_t high = largest;
  while (low < high) {
    const std::uint64_t middle = (low + high + 1) / 2;
    if (is_exact_in_scene(options, middle, coordinate_limit))
      low = middle;
    else
      high = middle - 1;
  }
  require_span(options, column, low, key_text,
               fmt::format("holds a span up to {} on this tracer, whose largest coordinate is {:g}",
                           low, coordinate_limit));
  fail("mode={} does not hold a span of {}: use mode=3d", name_of(coordinates.mode), column.span);
}

}  // namespace rtindex
