#include "base/spec_options.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "base/error.hpp"

namespace rtindex {

namespace {

using Number = SpecOption::Number;

constexpr int max_key_bits = 64;

std::vector<std::string_view> words_of(const SpecOption& option) {
  return {option.words.begin(), std::find(option.words.begin(), option.words.end(), "")};
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
  const std::vector<std::string_view> words = words_of(option);
  if (std::find(words.begin(), words.end(), value) != words.end()) return true;
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
      // Each of them first: the sum could overflow.
      if (!bits ||
          !std::all_of(bits->begin(), bits->end(), [&](int n) { return is_between(n, option); }))
        return false;
      const int sum = (*bits)[0] + (*bits)[1] + (*bits)[2];
      return sum >= 1 && sum <= max_key_bits;
    }
  }
  return false;
}

// The valid numbers of an option, for errors.
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
  std::string text = fmt::format("{}", fmt::join(words_of(option), " | "));
  if (option.number == Number::none) return text;
  if (!text.empty()) text += " | ";
  if (option.number == Number::bits) return text + "X+Y+Z";
  return text + (option.number == Number::exponent ? "2^N" : "N");
}

[[noreturn]] void reject(const SpecOption& option, std::string_view value) {
  std::string expected = fmt::format("{}", fmt::join(words_of(option), " | "));
  if (const std::string range = number_range(option); !range.empty())
    expected += (expected.empty() ? "" : " | ") + range;
  fail("invalid {}={}: expected {}", option.name, value, expected);
}

// Whether a spec sets the option "name", or has the setting "name=value".
bool has(const Spec& spec, std::string_view setting, std::span<const SpecOption> options) {
  const std::size_t equals = setting.find('=');
  const std::string_view name = setting.substr(0, equals);
  if (equals == std::string_view::npos) return spec.options().contains(std::string(name));
  const SpecOption* const option = find_option(name, options);
  return option != nullptr && option->text(spec) == setting.substr(equals + 1);
}

bool applies(const SpecOption& option, const Spec& spec, std::span<const SpecOption> options) {
  return (option.needs.empty() || has(spec, option.needs, options)) &&
         (option.excludes.empty() || !has(spec, option.excludes, options));
}

}  // namespace

bool SpecOption::is_set(const Spec& spec) const {
  return spec.options().contains(std::string(name));
}

Spec SpecOption::set(const Spec& spec, std::string_view value) const {
  return spec.with(std::string(name), value);
}

std::string SpecOption::text(const Spec& spec) const {
  return spec.option(std::string(name), fallback);
}

std::optional<std::int64_t> SpecOption::whole(const Spec& spec) const {
  return parsed<std::int64_t>(text(spec));
}

double SpecOption::real(const Spec& spec) const { return parsed<double>(text(spec)).value_or(0); }

std::array<int, 3> SpecOption::bits(const Spec& spec) const {
  return parsed_bits(text(spec)).value_or(std::array<int, 3>{});
}

int SpecOption::exponent(const Spec& spec) const { return parsed_exponent(text(spec)).value_or(0); }

const SpecOption* find_option(std::string_view name, std::span<const SpecOption> options) {
  const auto found = std::find_if(options.begin(), options.end(),
                                  [&](const SpecOption& option) { return option.name == name; });
  return found == options.end() ? nullptr : &*found;
}

void require_options(const Spec& spec, std::string_view kind, std::span<const SpecOption> options) {
  for (const auto& [name, value] : spec.options()) {
    const SpecOption* const option = find_option(name, options);
    if (option == nullptr) fail("{} has no option '{}': remove it from the spec", kind, name);
    if (!is_valid(*option, value)) reject(*option, value);
    if (!option->needs.empty() && !has(spec, option->needs, options))
      fail("the option {} needs {}: add {}, or remove {}", name, option->needs,
           option->needs.find('=') == std::string_view::npos ? fmt::format("{}=N", option->needs)
                                                             : std::string(option->needs),
           name);
    if (!option->excludes.empty() && has(spec, option->excludes, options))
      fail("the option {} has no effect with {}: remove {}", name, option->excludes, name);
  }
}

Spec with_defaults(const Spec& spec, std::string_view kind, std::span<const SpecOption> options) {
  require_options(spec, kind, options);
  Spec full = spec;
  for (const SpecOption& option : options)
    if (!option.fallback.empty() && !option.is_set(spec) && applies(option, spec, options))
      full = option.set(full, option.fallback);
  return full;
}

void require_option(std::string_view name, std::string_view value,
                    std::span<const SpecOption> options) {
  const SpecOption* widest = nullptr;
  for (const SpecOption& option : options) {
    if (option.name != name) continue;
    if (is_valid(option, value)) return;
    if (widest == nullptr || option.max > widest->max) widest = &option;
  }
  if (widest != nullptr) reject(*widest, value);
  std::vector<std::string> names;
  for (const OptionHelp& option : help_of(options)) names.push_back(option.name);
  fail("unknown option '{}': expected one of {}", name, fmt::join(names, ", "));
}

std::vector<OptionHelp> help_of(std::span<const SpecOption> options) {
  std::vector<OptionHelp> list;
  for (const SpecOption& option : options) {
    if (std::any_of(list.begin(), list.end(),
                    [&](const OptionHelp& help) { return help.name == option.name; }))
      continue;
    const auto fallback = option.fallback_text.empty() ? option.fallback : option.fallback_text;
    list.push_back(
        {std::string(option.name), choices(option), fmt::format("{} ({})", option.help, fallback)});
  }
  return list;
}

}  // namespace rtindex
