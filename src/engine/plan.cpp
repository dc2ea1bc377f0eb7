#include "engine/plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <vector>

namespace rtindex {

namespace {

// Whether a point needs no more than the first of its rows in key order.
bool first_row_is_enough(const SegmentTraits& segment, const BatchWants& wants) {
  if (segment.unique_keys) return true;
  return segment.finds_first_rows && !segment.compares_full_keys && !segment.has_deleted_rows &&
         !wants.rows && !wants.values && !wants.count && !wants.last &&
         (!wants.first || segment.ascending_rows);
}

std::string_view name_of(Method method) {
  switch (method) {
    case Method::fold: return "search and fold";
    case Method::runs: return "find runs, fold them";
    case Method::rows: return "find one row each";
    case Method::sums: return "find and add up values in one kernel";
    case Method::included_sums: return "subtract prefix sums in one kernel";
    case Method::pair: return "find rows of both segments in one kernel";
    case Method::edges: return "find the row at the edge of a range";
    case Method::ranks: return "subtract ranks of ends from ranks of starts";
    case Method::walk: return "search a tree of ends";
    case Method::boxes: return "search a tree of points";
  }
  return "";
}

}  // namespace

BatchWants BatchWants::of(QueryKind kind, const Request& request) {
  const AnswerSet answers = request.answers;
  BatchWants wants;
  wants.kind = kind;
  wants.any = answers.has(Answer::any);
  wants.first = answers.has(Answer::first);
  wants.last = answers.has(Answer::last);
  wants.count = answers.has(Answer::count);
  wants.rows = answers.has(Answer::rows) || request.join != nullptr;
  wants.matched = request.outputs.matched != nullptr || request.outputs.validity != nullptr;
  wants.values = request.wants_values();
  wants.sums_only = wants.values && !answers.has_any_of(value_answers.difference(Answer::sum));
  wants.sum_alone = answers == AnswerSet(Answer::sum) && !wants.matched;
  wants.included = wants.values && request.included;
  wants.key_order = request.order != RowOrder::any;
  wants.counters = request.counters != nullptr;
  return wants;
}

bool ranks_are_enough(const SegmentTraits& segment, const BatchWants& wants) {
  if (wants.kind != QueryKind::contains && wants.kind != QueryKind::overlaps) return false;
  if (wants.any || wants.first || wants.last || wants.rows) return false;
  return wants.values ? wants.included && wants.sums_only && segment.has_prefix_sums : wants.count;
}

Method method_of(const SegmentTraits& segment, const BatchWants& wants) {
  if (segment.folds_hits) return Method::fold;
  if (segment.points) return Method::boxes;
  if (segment.intervals) return ranks_are_enough(segment, wants) ? Method::ranks : Method::walk;
  if (wants.kind != QueryKind::equal) return Method::runs;
  const bool can_fuse = wants.sum_alone && !segment.compares_full_keys && !wants.counters;
  if (!wants.included && !wants.key_order && first_row_is_enough(segment, wants))
    return can_fuse && segment.fuses_sums ? Method::sums : Method::rows;
  return wants.included && can_fuse && segment.fuses_included_sums && segment.has_prefix_sums
             ? Method::included_sums
             : Method::runs;
}

bool can_pair(const SegmentTraits& main, const SegmentTraits& newer, const BatchWants& wants) {
  return wants.kind == QueryKind::equal && main.fuses_pairs && newer.fuses_as_newer &&
         main.unique_keys && newer.unique_keys && main.reads_elements && newer.reads_elements &&
         !wants.rows && !wants.included && !wants.counters;
}

void Plan::set_outputs(const Request& request) {
  answers = request.answers;
  writes_matched = request.outputs.matched != nullptr;
  writes_pairs = request.join != nullptr || request.pairs != nullptr;
}

std::string Plan::outputs() const {
  std::vector<std::string_view> names;
  if (writes_pairs) names.emplace_back("pairs");
  for (const Answer answer : all_answers())
    if (answers.has(answer)) names.push_back(name_of(answer));
  if (writes_matched) names.emplace_back("matched");
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

std::string Plan::describe() const {
  std::string text = on_gpu ? on_callers_stream ? "queue all work on the caller's stream\n"
                                                : "copy lookups and answers on streams of its own\n"
                            : "search on the CPU\n";
  if (casts_rays) text += "cast rays, after those of earlier calls\n";
  if (fetches_lookups) text += "host: copy the lookups from the GPU\n";
  if (orders_on_host) text += "host: order the rows of all segments by key\n";
  if (copies_values) text += "host: copy the values to the GPU\n";
  if (counts_on_host) text += "host: wait for the number of rows\n";
  if (measures) text += "host: wait for counters or the times of rays\n";
  for (std::size_t i = 0; i < segments; ++i) {
    const Step& step = steps[i];
    text += fmt::format("segment {}: {}, lookups as {}{}{}\n", i, name_of(step.method),
                        step.reads_elements ? "elements" : "intervals",
                        step.skips_deleted_rows ? ", skip deleted rows" : "",
                        step.compares_full_keys ? ", compare full keys" : "");
    if (step.method == Method::pair) break;
  }
  if (more_segments != 0)
    text += fmt::format("and {} more segment{}\n", more_segments, more_segments == 1 ? "" : "s");
  if (folds_rows) text += "find all rows, fold them\n";
  text += fmt::format("outputs: {}\n", outputs());
  if (piece != 0) text += fmt::format("pieces: {} lookups\n", piece);
  return text + (capturable() ? "capturable: yes\n" : "capturable: no\n");
}

}  // namespace rtindex
