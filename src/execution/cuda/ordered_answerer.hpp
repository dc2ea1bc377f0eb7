#pragma once

#include <memory>

#include "execution/cuda/answerer.hpp"
#include "execution/cuda/narrower.hpp"

namespace rtindex::cuda {

// Answers from a column in key order, given a locator that finds positions in it.
class OrderedAnswerer final : public Answerer {
 public:
  struct Parts {
    const DeviceOrder& order;
    const Locator& locator;
    const OrderedValues* included;
    const Narrower* narrower;
    const std::shared_ptr<DeviceMemory>& memory;
    Gather gather;
    Counters* counters;  // on the device; null: nothing is counted
    LaunchTimes& times;
  };

  explicit OrderedAnswerer(const Parts& parts) : parts_(parts) {}

  [[nodiscard]] FoundRows answer(const LookupBatch& batch, std::size_t first,
                                 const DeviceLookups& lookups, const DeviceRequest& request,
                                 RowsWanted wanted, cudaStream_t stream) const override;

 private:
  [[nodiscard]] FoundRows answer_unique(const DeviceLookups& lookups, const DeviceRequest& request,
                                        bool wants_rows, cudaStream_t stream) const;

  Parts parts_;
};

}  // namespace rtindex::cuda
