#include "base/spec_options.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/error.hpp"

namespace rtindex {

namespace {

using Names = std::vector<std::string_view>;
using Number = SpecOption::Number;

constexpr int max_key_bits = 64;

std::vector<SpecOption> declare_options() {
  const Names rays = {"rx:embree@cpu", "rx:optix@cuda"};
  const Names optix = {"rx:optix@cuda"};
  const Names cpu = {"rx:native@cpu", "rx:embree@cpu", "sorted@cpu", "btree@cpu", "hash@cpu"};
  const Names ordered = {"rx:native@cpu", "sorted@cpu", "btree@cpu"};
  const Names ordered_on_gpu = {"rx:native@cuda", "sorted@cuda", "btree@cuda"};
  Names all = cpu;
  for (const char* name :
       {"rx:native@cuda", "rx:optix@cuda", "sorted@cuda", "btree@cuda", "hash@cuda"})
    all.emplace_back(name);
  const Names on_off_auto = {"auto", "on", "off"};
  constexpr std::string_view order_help =
      "on a CPU, answer large batches in key order: by a rule, always, never";
  constexpr std::string_view gather_help =
      "on a GPU, put values into key order once per batch of ranges: where faster, always, never";
  constexpr std::string_view group_help = "on a GPU, threads that search a node or bucket together";

  std::vector<SpecOption> table;
  const auto add = [&](SpecOption option) { table.push_back(std::move(option)); };
  add({.name = "mode",
       .words = {"naive", "extended", "3d"},
       .fallback = "3d",
       .backends = rays,
       .help = "how a key becomes coordinates"});
  // A float32 coordinate is exact, with room for +-0.5 beside it, below 2^23.
  add({.name = "bits",
       .number = Number::bits,
       .min = 0,
       .max = 23,
       .fallback = "23+23+18",
       .fallback_text = "23+23+18, spheres 22+22+20",
       .backends = rays,
       .needs = "mode=3d",
       .help = "bits of the key on each axis in 3d mode, at most 23 each"});
  // Beyond 2^30, products of three edge lengths in a ray-triangle test leave float32's range.
  add({.name = "scale",
       .number = Number::exponent,
       .min = -30,
       .max = 30,
       .fallback = "2^0",
       .backends = rays,
       .help = "factor of all coordinates, N from -30 to 30"});
  add({.name = "primitive",
       .words = {"triangle", "sphere", "aabb"},
       .fallback = "triangle",
       .backends = rays,
       .help = "the shape of a key in the scene"});
  add({.name = "point",
       .words = {"perpendicular", "offset", "zero"},
       .fallback = "perpendicular",
       .backends = rays,
       .excludes = "bucket",
       .help = "the ray of a point lookup"});
  add({.name = "range",
       .words = {"offset", "zero"},
       .fallback = "offset",
       .fallback_text = "offset, in extended mode zero",
       .backends = rays,
       .excludes = "bucket",
       .help = "the origin of a range lookup's ray"});
  add({.name = "compact",
       .words = {"on", "off"},
       .fallback = "off",
       .backends = rays,
       .help = "a smaller acceleration structure, for slower lookups on Embree"});
  add({.name = "update",
       .words = {"rebuild", "refit"},
       .fallback = "rebuild",
       .backends = rays,
       .help = "how updates change the acceleration structure"});
  add({.name = "row_rays",
       .words = {"occupied", "all"},
       .fallback = "occupied",
       .backends = rays,
       .excludes = "bucket",
       .help = "the rows that a range in 3d mode casts rays along: those with keys, or all"});
  add({.name = "bucket",
       .number = Number::whole,
       .min = 1,
       .max = 1 << 30,
       .fallback_text = "none: one primitive per key",
       .backends = rays,
       .help = "sorted keys that share one primitive"});
  add({.name = "drop",
       .words = {"auto"},
       .number = Number::whole,
       .min = 0,
       .max = max_key_bits - 1,
       .fallback = "auto",
       .fallback_text = "auto: those that the scene does not need",
       .backends = rays,
       .needs = "bucket",
       .help = "with buckets, low bits of keys that the scene leaves out"});
  add({.name = "split",
       .number = Number::whole,
       .min = 1,
       .max = 0xffffffffU,
       .fallback_text = "as many as it holds",
       .backends = optix,
       .help = "keys in one acceleration structure of OptiX"});
  add({.name = "order",
       .words = on_off_auto,
       .fallback = "auto",
       .backends = ordered,
       .help = order_help});
  add({.name = "order",
       .words = on_off_auto,
       .fallback = "auto",
       .backends = {"rx:embree@cpu"},
       .needs = "bucket",
       .help = order_help});
  add({.name = "gather",
       .words = on_off_auto,
       .fallback = "auto",
       .backends = ordered_on_gpu,
       .help = gather_help});
  add({.name = "gather",
       .words = on_off_auto,
       .fallback = "auto",
       .backends = optix,
       .needs = "bucket",
       .help = gather_help});
  // Groups of 1 and 2 and cells of 12 were the fastest on an H200; the paper's baselines use groups
  // of 16 and 8.
  add({.name = "group",
       .number = Number::power_of_two,
       .min = 1,
       .max = 16,
       .fallback = "1",
       .fallback_text = "btree 1, hash 2",
       .backends = {"btree@cuda"},
       .help = group_help});
  add({.name = "group",
       .number = Number::power_of_two,
       .min = 1,
       .max = 32,
       .fallback = "2",
       .backends = {"hash@cuda"},
       .help = group_help});
  add({.name = "cell",
       .number = Number::whole,
       .min = 1,
       .max = 16,
       .fallback = "12",
       .backends = {"rx:native@cuda"},
       .help = "on a GPU, average number of keys in a cell of the native tracer's grid, 1 to 16"});
  add({.name = "load",
       .number = Number::real,
       .min = 0.05,
       .max = 0.95,
       .fallback = "0.8",
       .backends = {"hash@cuda"},
       .help = "on a GPU, load factor of the hash table, 0.05 to 0.95"});
  add({.name = "threads",
       .words = {"all"},
       .number = Number::whole,
       .min = 1,
       .max = 4096,
       .fallback = "all",
       .backends = cpu,
       .help = "threads that build and look up, 1 to 4096"});
  add({.name = "delta",
       .words = {"auto"},
       .number = Number::whole,
       .min = 0,
       .max = 0xffffffffU,
       .fallback = "auto",
       .backends = all,
       .help = "changed rows that are kept beside the main structure before they are merged into "
               "it; 0: every change is merged at once"});
  return table;
}

template <class T>
std::optional<T> parsed(std::string_view text) {
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool is_between(double number, const SpecOption& option) {
  return number >= option.min && number <= option.max;
}

bool is_power_of_two(std::int64_t number) { return number > 0 && (number & (number - 1)) == 0; }

std::optional<int> parsed_exponent(std::string_view text) {
  if (!text.starts_with("2^")) return std::nullopt;
  return parsed<int>(text.substr(2));
}

std::optional<std::array<int, 3>> parsed_bits(std::string_view text) {
  std::array<int, 3> bits{};
  for (std::size_t axis = 0; axis < bits.size(); ++axis) {
    const std::size_t length = axis + 1 == bits.size() ? text.size() : text.find('+');
    if (length == std::string_view::npos) return std::nullopt;
    const auto number = parsed<int>(text.substr(0, length));
    if (!number) return std::nullopt;
    bits[axis] = *number;
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  return bits;
}

bool is_valid(const SpecOption& option, std::string_view value) {
  if (std::find(option.words.begin(), option.words.end(), value) != option.words.end()) return true;
  switch (option.number) {
    case Number::none: return false;
    case Number::whole: {
      const auto number = parsed<std::int64_t>(value);
      return number && is_between(static_cast<double>(*number), option);
    }
    case Number::power_of_two: {
      const auto number = parsed<std::int64_t>(value);
      return number && is_power_of_two(*number) && is_between(static_cast<double>(*number), option);
    }
    case Number::real: {
      const auto number = parsed<double>(value);
      return number && is_between(*number, option);
    }
    case Number::exponent: {
      const auto exponent = parsed_exponent(value);
      return exponent && is_between(*exponent, option);
    }
    case Number::bits: {
      const auto bits = parsed_bits(value);
      // Each of them first: the sum of others may overflow.
      if (!bits ||
          !std::all_of(bits->begin(), bits->end(), [&](int n) { return is_between(n, option); }))
        return false;
      const int sum = (*bits)[0] + (*bits)[1] + (*bits)[2];
      return sum >= 1 && sum <= max_key_bits;
    }
  }
  return false;
}

// The numbers that an option takes, for errors.
std::string number_range(const SpecOption& option) {
  switch (option.number) {
    case Number::none: break;
    case Number::whole:
      return fmt::format("{} to {}", static_cast<std::int64_t>(option.min),
                         static_cast<std::int64_t>(option.max));
    case Number::power_of_two:
      return fmt::format("a power of two from {} to {}", option.min, option.max);
    case Number::real: return fmt::format("{} to {}", option.min, option.max);
    case Number::exponent: return fmt::format("2^{} to 2^{}", option.min, option.max);
    case Number::bits:
      return fmt::format("X+Y+Z with {} to {} bits each and 1 to {} in all", option.min, option.max,
                         max_key_bits);
  }
  return {};
}

// The choices of an option in short, for the help.
std::string choices(const SpecOption& option) {
  std::string text = fmt::format("{}", fmt::join(option.words, " | "));
  if (option.number == Number::none) return text;
  if (!text.empty()) text += " | ";
  if (option.number == Number::bits) return text + "X+Y+Z";
  return text + (option.number == Number::exponent ? "2^N" : "N");
}

[[noreturn]] void refuse(const SpecOption& option, std::string_view value) {
  std::string expected = fmt::format("{}", fmt::join(option.words, " | "));
  if (const std::string range = number_range(option); !range.empty())
    expected += (expected.empty() ? "" : " | ") + range;
  fail("invalid {}={}: expected {}", option.name, value, expected);
}

// Whether a spec sets the option "name", or has the setting "name=value".
bool has(const Spec& spec, std::string_view setting) {
  const std::size_t equals = setting.find('=');
  const std::string name(setting.substr(0, equals));
  if (equals == std::string_view::npos) return spec.options().contains(name);
  return option_text(spec, name) == setting.substr(equals + 1);
}

bool applies(const SpecOption& option, const Spec& spec) {
  return (option.needs.empty() || has(spec, option.needs)) &&
         (option.excludes.empty() || !has(spec, option.excludes));
}

}  // namespace

const std::vector<SpecOption>& option_table() {
  static const std::vector<SpecOption> table = declare_options();
  return table;
}

const SpecOption* find_option(std::string_view name, std::string_view backend) {
  for (const SpecOption& option : option_table())
    if (option.name == name &&
        std::find(option.backends.begin(), option.backends.end(), backend) != option.backends.end())
      return &option;
  return nullptr;
}

void require_option(std::string_view name, std::string_view value) {
  const SpecOption* widest = nullptr;
  for (const SpecOption& option : option_table()) {
    if (option.name != name) continue;
    if (is_valid(option, value)) return;
    if (widest == nullptr || option.max > widest->max) widest = &option;
  }
  if (widest != nullptr) refuse(*widest, value);
  std::vector<std::string> names;
  for (const OptionHelp& option : spec_options()) names.push_back(option.name);
  fail("unknown option '{}': expected one of {}", name, fmt::join(names, ", "));
}

void require_options(const Spec& spec, std::string_view backend) {
  for (const auto& [name, value] : spec.options()) {
    const SpecOption* const option = find_option(name, backend);
    if (option == nullptr) fail("{} has no option '{}'", backend, name);
    if (!is_valid(*option, value)) refuse(*option, value);
    if (!option->needs.empty() && !has(spec, option->needs))
      fail("the option {} needs {}: add {}, or leave {} out", name, option->needs,
           option->needs.find('=') == std::string_view::npos ? fmt::format("{}=N", option->needs)
                                                             : std::string(option->needs),
           name);
    if (!option->excludes.empty() && has(spec, option->excludes))
      fail("the option {} has no effect with {}: leave {} out", name, option->excludes, name);
  }
}

Spec with_defaults(const Spec& spec, std::string_view backend) {
  require_options(spec, backend);
  Spec full = spec;
  for (const SpecOption& option : option_table())
    if (find_option(option.name, backend) == &option && !option.fallback.empty() &&
        !spec.options().contains(std::string(option.name)) && applies(option, spec))
      full = full.with(std::string(option.name), option.fallback);
  return full;
}

std::string option_text(const Spec& spec, std::string_view name) {
  for (const SpecOption& option : option_table())
    if (option.name == name) return spec.option(std::string(name), option.fallback);
  return {};
}

std::optional<std::int64_t> option_number(const Spec& spec, std::string_view name) {
  return parsed<std::int64_t>(option_text(spec, name));
}

double option_real(const Spec& spec, std::string_view name) {
  return parsed<double>(option_text(spec, name)).value_or(0);
}

std::array<int, 3> option_bits(const Spec& spec, std::string_view name) {
  return parsed_bits(option_text(spec, name)).value_or(std::array<int, 3>{});
}

int option_exponent(const Spec& spec, std::string_view name) {
  return parsed_exponent(option_text(spec, name)).value_or(0);
}

const std::vector<OptionHelp>& spec_options() {
  static const std::vector<OptionHelp> list = [] {
    std::vector<OptionHelp> options;
    for (const SpecOption& option : option_table()) {
      if (!options.empty() && options.back().name == option.name) continue;
      const auto fallback = option.fallback_text.empty() ? option.fallback : option.fallback_text;
      options.push_back({std::string(option.name), choices(option),
                         fmt::format("{} ({})", option.help, fallback)});
    }
    return options;
  }();
  return list;
}

}  // namespace rtindex
