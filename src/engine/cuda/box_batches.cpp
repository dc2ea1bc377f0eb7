#include <algorithm>
#include <deque>
#include <vector>

#include "engine/cuda/device_batches.hpp"
#include "engine/cuda/device_lookups.hpp"
#include "engine/cuda/device_segments.hpp"

// Box queries whose conditions lie where they are read.
namespace rtindex::cuda {

namespace {

// Whether an end of each query is in host memory.
[[nodiscard]] bool has_host_array(const BatchQuery& query) {
  return std::any_of(
      query.conditions.begin(), query.conditions.end(), [](const Condition& condition) {
        const auto is_array = [](const ColumnView& end) {
          return end.has_value() && end.size() != 1 && end.memory_space() == MemorySpace::host;
        };
        return condition.kind == ConditionKind::range &&
               (is_array(condition.lower) || is_array(condition.upper));
      });
}

// Whether the host encodes a condition, some end of which is in device memory.
[[nodiscard]] bool is_fetched(std::span<const Segment> segments, const BatchQuery& query,
                              std::size_t column) {
  const Condition& condition = query.conditions[column];
  if (!is_on_device(condition.lower) && !is_on_device(condition.upper)) return false;
  const auto is_single = [&](const ColumnView& end) {
    return is_on_device(end) && end.size() != query.boxes;
  };
  return has_host_array(query) || is_single(condition.lower) || is_single(condition.upper) ||
         !std::all_of(segments.begin(), segments.end(), [&](const Segment& segment) {
           return encodes_on_device(*point_codec(*segment.codec), column, condition);
         });
}

}  // namespace

void DeviceBatchRunner::answer_boxes(std::span<const Segment> segments, const BatchQuery& query,
                                     const Request& request) {
  Plan plan;
  std::vector<Condition> conditions(query.conditions.begin(), query.conditions.end());
  std::deque<HostColumn> fetched;
  for (std::size_t c = 0; c < conditions.size(); ++c) {
    if (!is_fetched(segments, query, c)) continue;
    plan.fetches_lookups = true;
    for (ColumnView* const end : {&conditions[c].lower, &conditions[c].upper})
      *end = fetched.emplace_back(*end, "conditions", request.stream).view();
  }
  BatchQuery reachable = query;
  reachable.conditions = conditions;
  answer_reachable(segments, reachable, request, plan);
}

}  // namespace rtindex::cuda
