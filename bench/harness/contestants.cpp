#include "harness/contestants.hpp"

#include <algorithm>
#include <cstdint>

#include <rtindex/index.hpp>

namespace rtindex::bench {

namespace {

// "sorted", "rx:embree", "rx:native@cuda".
std::string short_name(const Spec& spec) {
  std::string name = spec.kind();
  if (!spec.tracer().empty()) name += ":" + spec.tracer();
  if (spec.device() == "cuda") name += "@cuda";
  return name;
}

}  // namespace

std::vector<Contestant> default_contestants() {
  std::vector<IndexInfo> available = indexes();
  std::erase_if(available, [](const IndexInfo& entry) { return !entry.available; });
  const auto device_of = [](const IndexInfo& entry) { return Spec(entry.spec).device(); };
  const bool has_gpu = std::any_of(available.begin(), available.end(), [&](const IndexInfo& entry) {
    return device_of(entry) == "cuda";
  });
  std::vector<Contestant> contestants;
  for (const IndexInfo& entry : available) {
    Spec spec(entry.spec);
    if (spec.device() != (has_gpu ? "cuda" : "cpu")) continue;
    const std::string label = short_name(spec);
    const bool reorders = spec.kind() == "sorted" || spec.kind() == "btree";
    if (reorders && spec.device() == "cpu") spec = spec.with("order", "off");
    contestants.push_back({spec, label});
  }
  return contestants;
}

std::vector<Contestant> default_ray_tracers() {
  std::vector<Contestant> tracers;
  for (const IndexInfo& entry : indexes()) {
    const Contestant contestant{Spec(entry.spec), short_name(Spec(entry.spec))};
    if (entry.available && contestant.traces_rays()) tracers.push_back(contestant);
  }
  return tracers;
}

std::vector<Contestant> contestants_of(const std::vector<std::string>& specs) {
  std::vector<Contestant> contestants;
  for (const std::string& text : specs) {
    const Spec spec(text);
    const bool is_new = std::none_of(contestants.begin(), contestants.end(),
                                     [&](const Contestant& c) { return c.label == spec.text(); });
    if (is_new) contestants.push_back({spec, spec.text()});
  }
  return contestants;
}

void require_available(const std::vector<Contestant>& contestants) {
  const std::vector<std::uint32_t> one_key = {0};
  for (const Contestant& contestant : contestants)
    static_cast<void>(build(one_key, contestant.spec));
}

}  // namespace rtindex::bench
