#include "answers/request.hpp"

#include "base/error.hpp"
#include "base/types.hpp"

namespace rtindex {

Request request_into(const AnswerOptions& options, const Outputs& outputs) {
  Request request;
  auto want = [&](const void* buffer, Answer answer) {
    if (buffer != nullptr) request.answers = request.answers | answer;
  };
  want(outputs.any, Answer::any);
  want(outputs.first, Answer::first);
  want(outputs.count, Answer::count);
  want(outputs.sum, Answer::sum);
  want(outputs.min, Answer::min);
  want(outputs.max, Answer::max);
  want(outputs.offsets, Answer::rows);
  want(outputs.key, Answer::key);
  request.values = options.values.data();
  request.values_space = options.values.memory_space();
  request.stream = options.stream;
  request.value_type = options.values.type();
  request.limit = options.limit;
  request.order = options.order;
  request.miss = options.miss;
  request.outputs = outputs;
  return request;
}

void require_values(const ColumnView& values, std::size_t rows) {
  if (!is_native(values.type()))
    fail(
        "the value column is {}: sum, min and max take bool, integers, dates, timestamps and "
        "floats",
        name_of(values.type()));
  if (values.nullable())
    fail(
        "the value column carries a validity bitmap: fill its nulls (with 0 for a sum, say) "
        "first");
  if (values.size() != rows)
    fail(
        "the value column has {} values but the indexed column has {} rows: pass one value per "
        "row",
        values.size(), rows);
}

}  // namespace rtindex
