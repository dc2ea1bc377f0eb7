#include <utility>
#include <variant>

#include <rtindex/rtindex.h>

#include "c/calls.hpp"
#include "c/device.hpp"
#include "c/exports.hpp"
#include "c/guard.hpp"
#include "c/handle.hpp"

namespace rtindex::c {

namespace {

// What an exported array of answers keeps.
struct HeldAnswers {
  Answers answers;
  std::vector<std::shared_ptr<const void>> copies;  // of keys
};

const void* elements_of(const Aggregates& aggregates) {
  return std::visit([](const auto& values) -> const void* { return values.data(); }, aggregates);
}

AnswerBuffers buffers_of(const Answers& answers, bool matched) {
  AnswerBuffers buffers{answers.answers(), answers.size()};
  const auto has = [&](Answer answer) { return answers.answers().has(answer); };
  if (has(Answer::any)) buffers.any = answers.any().data();
  if (has(Answer::first)) buffers.first = answers.first().data();
  if (has(Answer::count)) buffers.count = answers.count().data();
  const auto add = [&](Answer answer, const Aggregates& (Answers::*get)() const,
                       const void*& buffer) {
    if (!has(answer)) return;
    const Aggregates& aggregates = (answers.*get)();
    buffer = elements_of(aggregates);
    buffers.values = static_cast<ValueClass>(aggregates.index());
  };
  add(Answer::sum, &Answers::sum, buffers.sum);
  add(Answer::min, &Answers::min, buffers.min);
  add(Answer::max, &Answers::max, buffers.max);
  if (matched) buffers.matched = answers.matched_bitmap().data();
  if (has(Answer::rows)) {
    buffers.offsets = answers.offsets().data();
    buffers.rows = answers.rows().data();
    buffers.row_count = answers.rows().size();
  }
  return buffers;
}

void export_answers(const Index& index, AnswerCall& call, ArrowSchema* schema, ArrowArray* array) {
  const auto held = std::make_shared<HeldAnswers>(HeldAnswers{call.answer(index), {}});
  arrow::Node node = answers_node(buffers_of(held->answers, call.options().matched));
  if (held->answers.answers().has(Answer::key))
    node.children.push_back(
        arrow::node_of(with_units_of(index, held->answers.keys()), "key", held->copies));
  export_node(node, held, schema, array);
}

Outputs outputs_from(const rtindex_outputs& given) {
  return {.any = given.any,
          .first = given.first,
          .count = given.count,
          .sum = given.sum,
          .min = given.min,
          .max = given.max,
          .matched = given.matched,
          .offsets = given.offsets,
          .rows = given.rows,
          .rows_capacity = given.rows_capacity,
          .memory_space = choice(given.memory_space, MemorySpace::device, "memory_space"),
          .key = given.key};
}

}  // namespace

}  // namespace rtindex::c

// NOLINTNEXTLINE(google-build-using-namespace): C functions are in no namespace
using namespace rtindex;

rtindex_status rtindex_answer(const rtindex_index* index, const rtindex_query* query,
                              const rtindex_answer_options* options,
                              const rtindex_diagnostics* diagnostics, ArrowSchema* schema,
                              ArrowArray* array) {
  return c::guarded([&] {
    const rtindex_index& handle = c::checked(index);
    ArrowArray& to = c::required(array, "array");
    c::AnswerCall call(handle, query, options, diagnostics);
    c::export_answers(handle.index, call, schema, &to);
  });
}

rtindex_status rtindex_answer_device(const rtindex_index* index, const rtindex_query* query,
                                     const rtindex_answer_options* options,
                                     const rtindex_diagnostics* diagnostics, ArrowSchema* schema,
                                     ArrowDeviceArray* array) {
  return c::guarded([&] {
    const rtindex_index& handle = c::checked(index);
    ArrowDeviceArray& to = c::required(array, "array");
    c::AnswerCall call(handle, query, options, diagnostics);
    if (call.query().memory_space() == MemorySpace::device)
      return c::export_answers_on_device(handle, call, schema, to);
    ArrowDeviceArray made{};
    c::export_answers(handle.index, call, schema, &made.array);
    made.device_id = -1;
    made.device_type = ARROW_DEVICE_CPU;
    to = made;
  });
}

rtindex_status rtindex_answer_into(const rtindex_index* index, const rtindex_query* query,
                                   const rtindex_answer_options* options,
                                   const rtindex_diagnostics* diagnostics,
                                   const rtindex_outputs* outputs) {
  return c::guarded([&] {
    const rtindex_index& handle = c::checked(index);
    const Outputs to =
        c::outputs_from(c::options_of(&c::required(outputs, "outputs"), "rtindex_outputs"));
    c::AnswerCall(handle, query, options, diagnostics).answer_into(handle.index, to);
  });
}
