#include <fmt/format.h>

#include "experiments/experiments.hpp"
#include "harness/session.hpp"

// The paper's looks inside with Nsight Compute. They are listed so that nobody has to guess what is
// not repeated here; a run records what it lacks.

namespace rtindex::bench {

namespace {

constexpr const char* needed = "Nsight Compute on an NVIDIA GPU, which this version does not drive";

void run(Session& session) {
  session.unsupported(
      fmt::format("the profile needs {}; the experiments of the same section have "
                  "the times that it explains",
                  needed));
}

Metric share(const std::string& name, const std::string& label) {
  return {name, label, false, false};
}

Experiment profile(const std::string& name, const std::string& title, const std::string& question,
                   const std::string& figure, const std::string& section,
                   std::vector<Metric> metrics) {
  return {.name = name,
          .title = title,
          .question = question,
          .figure = figure,
          .section = section,
          .x = {},
          .metrics = std::move(metrics),
          .run = run,
          .needs = needed};
}

std::vector<Metric> memory_metrics() {
  return {share("l1_hit_percent", "hit rate of the L1 cache [%]"),
          share("l2_hit_percent", "hit rate of the L2 cache [%]"),
          {"memory_read_bytes", "bytes read from device memory"},
          {"instructions", "instructions executed"}};
}

}  // namespace

std::vector<Experiment> profile_experiments() {
  return {
      profile("profile-lookups", "Profile: number of lookups",
              "How busy are processors and memory as the batch grows?", "tab:lookup-util", "4.2",
              {share("active_warps", "active warps per SM"),
               share("bandwidth_percent", "share of the peak bandwidth [%]")}),
      profile("profile-skew", "Profile: skewed lookups", "What do caches and memory do under skew?",
              "tab:skew_profiling", "4.8", memory_metrics()),
      profile("profile-hit-rate", "Profile: hit rate", "How much less memory does a miss read?",
              "text", "4.6", memory_metrics()),
      profile("profile-modes", "Profile: key modes",
              "How much more does extended mode read than 3d mode?", "text", "3.2",
              memory_metrics()),
      profile("profile-updates", "Profile: updates",
              "What does a refit do to the memory that lookups read?", "text", "3.6",
              memory_metrics())};
}

}  // namespace rtindex::bench
