#pragma once

/// \file
/// Specs: the text that names an index and its settings, `kind[:tracer][@device[N]][,key=value]*`.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <rtindex/export.hpp>

namespace rtindex {

/// A parsed spec such as `rx:embree@cpu,mode=3d,primitive=aabb`.
///
/// Parsing checks the grammar, the names and the values of options; `build` and `indexes` check
/// whether the index is available on this machine. `build` chooses what is unset; `Index::spec()`
/// returns the full spec, which builds the same index again.
class RTINDEX_API Spec {
 public:
  /// `auto`: the best index for this machine.
  Spec() = default;
  /// Parses a spec; throws `Error` with the valid choices if the text is not a spec.
  // NOLINTNEXTLINE(google-explicit-constructor): every call accepts a spec as text
  Spec(std::string_view text);
  /// \overload
  // NOLINTNEXTLINE(google-explicit-constructor)
  Spec(const char* text) : Spec(std::string_view(text)) {}
  /// \overload
  // NOLINTNEXTLINE(google-explicit-constructor)
  Spec(const std::string& text) : Spec(std::string_view(text)) {}

  /// The spec as text, which parses to an equal spec.
  [[nodiscard]] std::string text() const;

  /// "auto", "rx", "hash", "btree" or "sorted".
  [[nodiscard]] const std::string& kind() const { return kind_; }
  /// "optix", "embree" or "native"; empty if unset, and for classic kinds.
  [[nodiscard]] const std::string& tracer() const { return tracer_; }
  /// "cpu" or "cuda"; empty if unset.
  [[nodiscard]] const std::string& device() const { return device_; }
  /// The device number; 0 if unset.
  [[nodiscard]] int device_number() const { return device_number_; }
  /// The options that the spec sets, by name.
  [[nodiscard]] const std::map<std::string, std::string>& options() const { return options_; }

  /// The value of an option, or `fallback` if unset.
  [[nodiscard]] std::string option(const std::string& name, std::string_view fallback) const;
  /// This spec with an option set.
  [[nodiscard]] Spec with(const std::string& name, std::string_view value) const;
  /// This spec with another tracer and device.
  [[nodiscard]] Spec at(std::string_view tracer, std::string_view device) const;

  friend bool operator==(const Spec&, const Spec&) = default;

 private:
  std::string kind_ = "auto";
  std::string tracer_;
  std::string device_;
  int device_number_ = 0;
  std::map<std::string, std::string> options_;
};

/// One option of a spec, for help texts.
struct OptionHelp {
  std::string name;
  std::string choices;  ///< "naive | extended | 3d"
  std::string meaning;  ///< one sentence
};

/// Every option, in the order of the help.
[[nodiscard]] RTINDEX_API const std::vector<OptionHelp>& spec_options();

}  // namespace rtindex
