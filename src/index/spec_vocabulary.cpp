#include "base/spec_vocabulary.hpp"

#include <algorithm>

#include "kinds/backends.hpp"

namespace rtindex {

namespace {

void add_kind(const Backend& backend, std::vector<SpecVocabulary::Kind>& kinds) {
  auto kind = std::find_if(kinds.begin(), kinds.end(),
                           [&](const auto& known) { return known.name == backend.kind(); });
  if (kind == kinds.end()) kind = kinds.insert(kind, {backend.kind(), {}});
  std::vector<std::string>& tracers = kind->tracers;
  if (!backend.tracer().empty() &&
      std::find(tracers.begin(), tracers.end(), backend.tracer()) == tracers.end())
    tracers.push_back(backend.tracer());
}

// People read about indexes on a CPU first.
SpecVocabulary collect_vocabulary() {
  SpecVocabulary vocabulary;
  for (const bool on_gpu : {false, true})
    for (const Backend* backend : backends()) {
      if (backend->on_gpu() != on_gpu) continue;
      add_kind(*backend, vocabulary.kinds);
      for (const SpecOption& option : backend->options()) vocabulary.options.push_back(option);
    }
  std::stable_sort(vocabulary.options.begin(), vocabulary.options.end(),
                   [](const SpecOption& a, const SpecOption& b) { return a.topic < b.topic; });
  return vocabulary;
}

}  // namespace

const SpecVocabulary& spec_vocabulary() {
  static const SpecVocabulary vocabulary = collect_vocabulary();
  return vocabulary;
}

const std::vector<OptionHelp>& spec_options() {
  static const std::vector<OptionHelp> list = help_of(spec_vocabulary().options);
  return list;
}

}  // namespace rtindex
