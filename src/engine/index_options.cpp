#include "engine/index_options.hpp"

namespace rtindex {

namespace {

constexpr SpecOption threads_option = {.name = "threads",
                                       .topic = SpecOption::Topic::index,
                                       .words = {"all"},
                                       .number = SpecOption::Number::whole,
                                       .min = 1,
                                       .max = 4096,
                                       .fallback = "all",
                                       .help = "threads that build and look up, 1 to 4096"};

constexpr SpecOption delta_option = {
    .name = "delta",
    .topic = SpecOption::Topic::index,
    .words = {"auto"},
    .number = SpecOption::Number::whole,
    .min = 0,
    .max = 0xffffffffU,
    .fallback = "auto",
    .help =
        "changed rows that are kept beside the main segment before they are merged into it; "
        "0: every change is merged at once"};

}  // namespace

IndexOptions IndexOptions::from(const Spec& spec) {
  IndexOptions options;
  options.threads = static_cast<int>(threads_option.whole(spec).value_or(0));
  if (const auto delta = delta_option.whole(spec)) options.delta = static_cast<std::size_t>(*delta);
  return options;
}

std::vector<SpecOption> IndexOptions::declared(bool on_gpu) {
  if (on_gpu) return {delta_option};
  return {threads_option, delta_option};
}

}  // namespace rtindex
