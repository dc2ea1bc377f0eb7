#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <rtindex/spec.hpp>

namespace rtindex {

// The declaration of an option of specs, beside the code that reads the option. Parsing,
// validation, defaults, the completion of specs and the help all use it.
struct SpecOption {
  enum class Number : std::uint8_t {
    none,          // only `words`
    whole,         // min to max
    power_of_two,  // the powers of two from min to max
    real,          // min to max
    exponent,      // 2^N, N from min to max
    bits,          // X+Y+Z, each from min to max
  };
  // The help and the texts of specs list options by topic, then as kinds declare them.
  enum class Topic : std::uint8_t { scene, batches, search, density, index };

  std::string_view name = {};
  Topic topic = Topic::index;
  std::array<std::string_view, 3> words = {};  // values that are words; the rest is empty
  Number number = Number::none;                // values beside the words
  double min = 0, max = 0;
  // The default; empty if the option stays unset, or if the kind computes it.
  std::string_view fallback = {};
  std::string_view fallback_text = {};  // the default in the help, if not `fallback`
  std::string_view needs = {};     // the option "name", or setting "name=value", that it refines
  std::string_view excludes = {};  // an option that replaces it
  std::string_view help = {};

  // For kinds that have the option only together with `other`.
  [[nodiscard]] constexpr SpecOption needing(std::string_view other) const {
    SpecOption option = *this;
    option.needs = other;
    return option;
  }

  [[nodiscard]] bool is_set(const Spec& spec) const;
  [[nodiscard]] Spec set(const Spec& spec, std::string_view value) const;

  // The value in a spec, or the default.
  [[nodiscard]] std::string text(const Spec& spec) const;
  // The value as a number; nothing for a word, as in threads=all.
  [[nodiscard]] std::optional<std::int64_t> whole(const Spec& spec) const;
  [[nodiscard]] double real(const Spec& spec) const;
  // X, Y and Z of X+Y+Z.
  [[nodiscard]] std::array<int, 3> bits(const Spec& spec) const;
  // N of 2^N.
  [[nodiscard]] int exponent(const Spec& spec) const;
};

// Below, `options` are those of one kind, which the errors name ("rx:embree@cpu").

// Null if no option has this name.
[[nodiscard]] const SpecOption* find_option(std::string_view name,
                                            std::span<const SpecOption> options);

// Throws if the kind does not support an option of the spec, its value, or their combination.
void require_options(const Spec& spec, std::string_view kind, std::span<const SpecOption> options);

// The spec with the default of every unset option that applies to it.
[[nodiscard]] Spec with_defaults(const Spec& spec, std::string_view kind,
                                 std::span<const SpecOption> options);

// Below, `options` are those of all kinds. One name may be declared by several of them.

// Throws if no kind has the option, or none supports this value.
void require_option(std::string_view name, std::string_view value,
                    std::span<const SpecOption> options);

// Every name once, with its first declaration.
[[nodiscard]] std::vector<OptionHelp> help_of(std::span<const SpecOption> options);

}  // namespace rtindex
