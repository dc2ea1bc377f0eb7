#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <rtindex/spec.hpp>

#include "indexes/catalog.hpp"

namespace rtindex {

// A structure that a spec can name: what it is called, whether it can be used, how it is made.
struct Entry {
  std::string kind, tracer, device;
  std::vector<std::string> options;
  // Why it cannot be used here; none where it can. Asked only of what a spec agrees with: to look
  // for a GPU starts its driver, which a program that stays on the CPU must not do.
  std::function<std::optional<std::string>()> missing;
  std::function<std::string()> runs_on;
  std::function<Spec(const Spec&)> complete;
  std::function<std::unique_ptr<Structure>(const Spec&, EncodedColumn, const KeyCodec&,
                                           const KeyText&, const BuildOptions&)>
      make;
  // Opens what the structure saved; none, or null, where it saved its column.
  std::function<std::unique_ptr<Structure>(const Spec&, const FileReader&, const KeyCodec&,
                                           std::size_t rows)>
      load = nullptr;
  bool includes = false;  // whether it can keep values in key order

  [[nodiscard]] std::string name() const {
    return kind + (tracer.empty() ? "" : ":" + tracer) + "@" + device;
  }
};

// In the order in which `auto` prefers them: a GPU where there is one, and on each the native
// tracer before all else.
[[nodiscard]] const std::vector<Entry>& entries();

// Whether rays look for buckets of sorted keys, in place of keys.
[[nodiscard]] inline bool is_bucketed(const Spec& spec) {
  return spec.options().contains("bucket");
}

}  // namespace rtindex
