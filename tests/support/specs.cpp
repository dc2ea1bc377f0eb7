#include "support/specs.hpp"

#include <cctype>
#include <map>

#include <rtindex/index.hpp>

namespace rtindex::test {

namespace {

const std::map<std::string, std::vector<std::string>>& settings() {
  static const std::map<std::string, std::vector<std::string>> lists = {
      {"rx:embree@cpu",
       {"primitive=sphere", "primitive=aabb,compact=on", "point=offset,update=refit",
        "point=zero,range=zero,threads=1", "bits=18+23+23,primitive=aabb,point=offset",
        "bits=22+22+20,range=zero,compact=on", "bucket=1", "bucket=3,threads=1",
        "bucket=16,compact=on", "bucket=1000,order=on,bits=18+23+23"}},
      {"rx:native@cpu", {"order=on", "order=off,threads=1"}},
      {"sorted@cpu", {"order=on"}},
      {"btree@cpu", {"order=on"}},
      {"rx:native@cuda", {"gather=on", "gather=off"}},
      {"btree@cuda", {"group=16,gather=on", "group=2"}},
      {"rx:optix@cuda",
       {"primitive=sphere", "primitive=aabb,compact=on,split=4096", "point=offset,update=refit",
        "point=zero,range=zero,compact=on", "bits=18+23+23,primitive=aabb,point=offset",
        "bits=22+22+20,range=zero,primitive=sphere,update=refit", "bucket=1",
        "bucket=3,split=500,compact=on", "bucket=16,gather=on",
        "bucket=1000,gather=off,bits=18+23+23"}},
      {"hash@cuda", {"group=1", "group=32,load=0.5"}},
  };
  return lists;
}

}  // namespace

std::vector<std::string> usable_indexes() {
  std::vector<std::string> names;
  for (const IndexInfo& index : indexes())
    if (index.available) names.push_back(index.spec);
  return names;
}

bool is_available(const std::string& text) {
  const Spec spec(text);
  for (const IndexInfo& index : indexes()) {
    const Spec offered(index.spec);
    if (index.available && offered.kind() == spec.kind() &&
        (spec.tracer().empty() || offered.tracer() == spec.tracer()) &&
        (spec.device().empty() || offered.device() == spec.device()))
      return true;
  }
  return false;
}

std::vector<std::string> usable_and_bucketed() {
  std::vector<std::string> specs = usable_indexes();
  for (const std::string& index : usable_indexes())
    if (index == "rx:embree@cpu" || index == "rx:optix@cuda") specs.push_back(index + ",bucket=3");
  return specs;
}

std::vector<std::string> host_specs(const std::string& options) {
  std::vector<std::string> specs;
  for (const std::string& spec : usable_and_bucketed())
    if (spec.find("@cpu") != std::string::npos) specs.push_back(spec + options);
  return specs;
}

bool includes_values(const std::string& spec) {
  return spec.find("native") != std::string::npos || spec.starts_with("sorted") ||
         spec.starts_with("btree") || spec.find("bucket") != std::string::npos;
}

std::vector<std::string> including_specs() {
  std::vector<std::string> specs = usable_and_bucketed();
  std::erase_if(specs, [](const std::string& spec) { return !includes_values(spec); });
  return specs;
}

std::vector<std::string> interval_specs() {
  std::vector<std::string> specs = usable_and_bucketed();
  std::erase_if(specs, [](const std::string& spec) { return spec.starts_with("hash"); });
  // Intervals that pass the ends of rows and planes.
  for (const std::string tracer : {"rx:embree@cpu", "rx:optix@cuda"})
    if (is_available(tracer)) specs.push_back(tracer + ",bits=18+23+23,primitive=aabb");
  return specs;
}

std::vector<std::string> point_specs() {
  std::vector<std::string> specs = usable_indexes();
  std::erase_if(specs, [](const std::string& spec) { return !spec.starts_with("rx:native"); });
  return specs;
}

std::vector<std::string> specs_of(const std::string& index) {
  std::vector<std::string> specs = {index};
  if (const auto found = settings().find(index); found != settings().end())
    for (const std::string& options : found->second) specs.push_back(index + "," + options);
  return specs;
}

std::string test_name(const std::string& spec) {
  std::string name;
  for (const char c : spec)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      name += c;
    else if (!name.ends_with('_'))
      name += '_';
  return name;
}

}  // namespace rtindex::test
