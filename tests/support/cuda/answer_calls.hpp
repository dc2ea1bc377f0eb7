#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <type_traits>
#include <vector>

#include <rtindex/index.hpp>

#include "base/types.hpp"
#include "support/checker.hpp"
#include "support/cuda/buffer.hpp"

namespace rtindex::test {

// Sums, minima or maxima of values of this type.
[[nodiscard]] inline Aggregates aggregates_in(const Buffer& buffer, Type type) {
  Aggregates result;
  visit_native(type, [&]<class T>() {
    using Value = value_t<T>;
    if constexpr (std::is_floating_point_v<Value>)
      result = buffer.read<double>();
    else if constexpr (std::is_signed_v<Value>)
      result = buffer.read<std::int64_t>();
    else
      result = buffer.read<std::uint64_t>();
  });
  return result;
}

// Every answer to a query but `last` and `mean`, which the options request, in buffers of a memory
// space. The first call sizes the buffer of rows.
[[nodiscard]] inline PlainAnswers every_answer_in(MemorySpace space, const Index& index,
                                                  const Query& query,
                                                  const AnswerOptions& options) {
  const std::size_t n = query.size();
  Buffer any(space, 4 * n), first(space, 4 * n), count(space, 4 * n), sum(space, 8 * n),
      min(space, 8 * n), max(space, 8 * n), matched(space, (n + 7) / 8),
      offsets(space, 8 * (n + 1)), last(space, 4 * n), mean(space, 8 * n);
  Outputs outputs;
  outputs.any = any.as<std::uint32_t>();
  outputs.first = first.as<std::uint32_t>();
  outputs.count = count.as<std::uint32_t>();
  outputs.sum = sum.as<void>();
  outputs.min = min.as<void>();
  outputs.max = max.as<void>();
  outputs.matched = matched.as<std::uint8_t>();
  outputs.offsets = offsets.as<std::uint64_t>();
  const bool wants_last = options.answers.has(Answer::last);
  const bool wants_mean = options.answers.has(Answer::mean);
  if (wants_last) outputs.last = last.as<std::uint32_t>();
  if (wants_mean) outputs.mean = mean.as<double>();
  outputs.memory_space = space;
  const auto call = [&] {
    index.answer_into(query, options, outputs);
    require(cudaStreamSynchronize(static_cast<cudaStream_t>(options.stream.handle)));
  };
  call();
  const std::size_t total = offsets.read<std::uint64_t>().back();
  Buffer rows(space, 4 * total);
  outputs.rows = rows.as<std::uint32_t>();
  outputs.rows_capacity = total;
  call();
  PlainAnswers found;
  found.size = n;
  found.any = any.read<std::uint32_t>();
  found.first = first.read<std::uint32_t>();
  if (wants_last) found.last = last.read<std::uint32_t>();
  if (wants_mean) found.mean = mean.read<double>();
  found.count = count.read<std::uint32_t>();
  found.sum = aggregates_in(sum, options.values.type());
  found.min = aggregates_in(min, options.values.type());
  found.max = aggregates_in(max, options.values.type());
  found.matched = matched.read<std::uint8_t>();
  found.offsets = offsets.read<std::uint64_t>();
  found.rows = rows.read<std::uint32_t>();
  return found;
}

}  // namespace rtindex::test
