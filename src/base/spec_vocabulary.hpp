#pragma once

#include <string>
#include <vector>

#include "base/spec_options.hpp"

namespace rtindex {

// The names of kinds, tracers and options, which the parser of specs accepts.
struct SpecVocabulary {
  struct Kind {
    std::string name;
    std::vector<std::string> tracers;
  };

  std::vector<Kind> kinds;
  // As kinds declare them, by topic. Several kinds may declare one name.
  std::vector<SpecOption> options;
};

// Of all registered kinds; index/spec_vocabulary.cpp collects it.
[[nodiscard]] const SpecVocabulary& spec_vocabulary();

}  // namespace rtindex
