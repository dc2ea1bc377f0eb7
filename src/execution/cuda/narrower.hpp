#pragma once

#include <algorithm>
#include <memory>
#include <span>

#include "answers/cuda/runs.hpp"
#include "answers/request.hpp"
#include "base/parallel.hpp"
#include "keys/lookup_batch.hpp"
#include "storage/key_order.hpp"

namespace rtindex::cuda {

// Compares full keys where encoded ones are not the whole truth (long strings, wide composites):
// the column in key order on the host, as the GPU has it.
class Narrower {
 public:
  virtual ~Narrower() = default;
  // Runs of lookups [first, first + runs.size()), found by encoded key, lose what does not match.
  virtual void narrow(const LookupBatch& batch, std::size_t first, std::span<Run> runs) const = 0;
  [[nodiscard]] virtual std::size_t bytes() const = 0;
};

template <class Key>
class OrderNarrower final : public Narrower {
 public:
  OrderNarrower(const EncodedColumn& column, const KeyCodec& codec) : order_(column, codec) {}

  [[nodiscard]] const KeyOrder<Key>& order() const { return order_; }

  void narrow(const LookupBatch& batch, std::size_t first, std::span<Run> runs) const override {
    parallel_for(runs.size(), chunk_lookups, [&](std::size_t begin, std::size_t count) {
      Interval intervals[chunk_lookups];
      std::uint8_t checks[chunk_lookups];
      Match found[chunk_lookups];
      batch.encode(first + begin, count, intervals, checks);
      for (std::size_t i = 0; i < count; ++i) {
        const Run& run = runs[begin + i];
        found[i] = {run.begin, std::max(run.begin, run.end)};
      }
      order_.narrow(batch, first + begin, count, intervals, checks, found);
      for (std::size_t i = 0; i < count; ++i)
        runs[begin + i] = {static_cast<std::uint32_t>(found[i].begin),
                           static_cast<std::uint32_t>(found[i].end)};
    });
  }

  [[nodiscard]] std::size_t bytes() const override { return order_.bytes(); }

 private:
  KeyOrder<Key> order_;
};

}  // namespace rtindex::cuda
