#pragma once

#include <string>
#include <vector>

#include "base/spec_options.hpp"

namespace rtindex {

// The names that the grammar of specs leaves open.
struct SpecVocabulary {
  struct Kind {
    std::string name;
    std::vector<std::string> tracers;
  };

  std::vector<Kind> kinds;
  // As backends declare them, by topic. Several backends may declare one name.
  std::vector<SpecOption> options;
};

// Of all registered backends: indexes/spec_vocabulary.cpp collects it.
[[nodiscard]] const SpecVocabulary& spec_vocabulary();

}  // namespace rtindex
