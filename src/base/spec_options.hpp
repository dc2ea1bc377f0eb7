#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <rtindex/spec.hpp>

namespace rtindex {

// An option of specs. The table in spec_options.cpp is the only declaration: parsing, checks,
// defaults, the completion of specs and the help all read it.
struct SpecOption {
  enum class Number : std::uint8_t {
    none,          // only `words`
    whole,         // min to max
    power_of_two,  // the powers of two from min to max
    real,          // min to max
    exponent,      // 2^N, N from min to max
    bits,          // X+Y+Z, each from min to max
  };

  std::string_view name = {};
  std::vector<std::string_view> words = {};  // values that are words
  Number number = Number::none;              // values beside the words
  double min = 0, max = 0;
  // The default; empty where the option is left out, or where the backend computes it.
  std::string_view fallback = {};
  std::string_view fallback_text = {};          // the default in the help, if not `fallback`
  std::vector<std::string_view> backends = {};  // that take it
  std::string_view needs = {};     // the option "name", or setting "name=value", that it refines
  std::string_view excludes = {};  // an option that replaces it
  std::string_view help = {};
};

// Options of one name that differ between backends have an entry each.
[[nodiscard]] const std::vector<SpecOption>& option_table();

// The option of a backend ("rx:embree@cpu"); null where it does not take it.
[[nodiscard]] const SpecOption* find_option(std::string_view name, std::string_view backend);

// Throws where no backend takes the option, or none takes this value.
void require_option(std::string_view name, std::string_view value);

// Throws where the backend does not take an option of the spec, its value, or their combination.
void require_options(const Spec& spec, std::string_view backend);

// The spec with the default of every option that applies to it and that it leaves out.
[[nodiscard]] Spec with_defaults(const Spec& spec, std::string_view backend);

// The value of an option, or its default.
[[nodiscard]] std::string option_text(const Spec& spec, std::string_view name);
// The same as a number; none where it is a word, as in threads=all.
[[nodiscard]] std::optional<std::int64_t> option_number(const Spec& spec, std::string_view name);
[[nodiscard]] double option_real(const Spec& spec, std::string_view name);
// X, Y and Z of X+Y+Z.
[[nodiscard]] std::array<int, 3> option_bits(const Spec& spec, std::string_view name);
// N of 2^N.
[[nodiscard]] int option_exponent(const Spec& spec, std::string_view name);

}  // namespace rtindex
