#include "answers/request.hpp"

#include "base/error.hpp"
#include "base/types.hpp"

namespace rtindex {

AnswerSet answers_of(const Outputs& outputs) {
  AnswerSet answers;
  const auto add = [&](const void* buffer, Answer answer) {
    if (buffer != nullptr) answers = answers | answer;
  };
  add(outputs.any, Answer::any);
  add(outputs.first, Answer::first);
  add(outputs.last, Answer::last);
  add(outputs.count, Answer::count);
  add(outputs.sum, Answer::sum);
  add(outputs.mean, Answer::mean);
  add(outputs.min, Answer::min);
  add(outputs.max, Answer::max);
  add(outputs.offsets, Answer::rows);
  add(outputs.key, Answer::key);
  add(outputs.bitmap, Answer::bitmap);
  add(outputs.bitmaps, Answer::bitmaps);
  return answers;
}

Request request_into(const AnswerOptions& options, const ColumnView& values,
                     const Outputs& outputs) {
  Request request;
  request.answers = answers_of(outputs);
  request.values = values.data();
  request.validity = values.validity();
  request.validity_offset = values.validity_offset();
  request.values_space = values.memory_space();
  request.value_type = values.type();
  request.stream = options.stream;
  request.limit = options.limit;
  request.order = options.order;
  request.miss = options.miss;
  request.outputs = outputs;
  return request;
}

void require_values(const ColumnView& values, std::size_t rows) {
  if (!is_native(values.type()))
    fail(
        "the value column is {}: sum, mean, min and max need bool, integers, dates, times, "
        "durations, decimals or floats, those of 128 bits in host memory",
        name_of(values.type()));
  if (values.size() != rows)
    fail("got {} values for {} rows: pass one value per row", values.size(), rows);
}

}  // namespace rtindex
