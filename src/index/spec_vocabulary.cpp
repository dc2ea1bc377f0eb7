#include "base/spec_vocabulary.hpp"

#include <algorithm>

#include "kinds/registry.hpp"

namespace rtindex {

namespace {

void add_kind(const Kind& added, std::vector<SpecVocabulary::Kind>& known) {
  auto kind = std::find_if(known.begin(), known.end(),
                           [&](const auto& other) { return other.name == added.kind; });
  if (kind == known.end()) kind = known.insert(kind, {added.kind, {}});
  std::vector<std::string>& tracers = kind->tracers;
  if (!added.tracer.empty() &&
      std::find(tracers.begin(), tracers.end(), added.tracer) == tracers.end())
    tracers.push_back(added.tracer);
}

// The help lists indexes on a CPU first.
SpecVocabulary collect_vocabulary() {
  SpecVocabulary vocabulary;
  for (const bool on_gpu : {false, true})
    for (const Kind& kind : kinds()) {
      if (kind.on_gpu() != on_gpu) continue;
      add_kind(kind, vocabulary.kinds);
      for (const SpecOption& option : kind.options) vocabulary.options.push_back(option);
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
