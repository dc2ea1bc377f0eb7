#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <rtindex/device.hpp>
#include <rtindex/spec.hpp>

#include "base/spec_options.hpp"

namespace rtindex {

struct Engine;

// How keys are searched on a CPU or on a GPU, such as rx:embree@cpu: a name, options, and the
// engine that both make. kinds/registry.cpp lists every kind.
struct Kind {
  std::string kind;    // "rx"
  std::string tracer;  // "embree"; empty where the kind has none
  std::string device;  // "cpu" or "cuda"
  std::vector<SpecOption> options;

  // Describes an available kind and what it runs on.
  std::function<std::string()> describe;
  // Why the kind is not available here; none where it is. Not set: it is always available. Looking
  // for a GPU starts its driver: called only for kinds that match a spec.
  std::function<std::optional<std::string>()> unavailable = {};
  // The spec with the value of every option. Throws where a value is invalid. Not set: with the
  // defaults that the options declare.
  std::function<Spec(const Spec&, const Kind&)> complete_options = {};
  // The engine of an index with this complete spec. The allocator is that of a GPU; null: the
  // default.
  std::function<Engine(const Spec&, std::shared_ptr<DeviceMemory>)> bind;

  // "rx:embree@cpu".
  [[nodiscard]] std::string name() const;
  [[nodiscard]] bool on_gpu() const { return device == "cuda"; }
  // Whether a spec, which may be open, matches this kind.
  [[nodiscard]] bool matches(const Spec& spec) const;
  // Whether it has all options of a spec.
  [[nodiscard]] bool has_options_of(const Spec& spec) const;
  [[nodiscard]] std::optional<std::string> why_unavailable() const {
    return unavailable ? unavailable() : std::nullopt;
  }
  [[nodiscard]] Spec complete(const Spec& spec) const;
};

// A kind that this build does not contain. Its specs are parsed like those of others.
[[nodiscard]] Kind absent(Kind kind, const std::string& reason);

}  // namespace rtindex
