#pragma once

#include <memory>
#include <span>

#include "answers/cuda/runs.hpp"
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
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (runs[i].begin >= runs[i].end) continue;
      Interval interval{};
      std::uint8_t checks = check_none;
      batch.encode(first + i, 1, &interval, &checks);
      if (checks == check_none) continue;
      const Match match =
          order_.narrow({runs[i].begin, runs[i].end}, batch, first + i, interval, checks);
      runs[i] = {static_cast<std::uint32_t>(match.begin), static_cast<std::uint32_t>(match.end)};
    }
  }

  [[nodiscard]] std::size_t bytes() const override { return order_.bytes(); }

 private:
  KeyOrder<Key> order_;
};

}  // namespace rtindex::cuda
