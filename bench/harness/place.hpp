#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include <rtindex/column.hpp>
#include <rtindex/spec.hpp>

#include "workload/key_array.hpp"

namespace rtindex::bench {

// Where the arrays of a workload live, and how time is taken there. An experiment's data are put
// where the index works, so that no time includes a transfer.
class Place {
 public:
  // A column that was put in its place.
  class Put {
   public:
    virtual ~Put() = default;
    [[nodiscard]] virtual ColumnView view() const = 0;
    [[nodiscard]] virtual ColumnView slice(std::size_t first, std::size_t count) const = 0;
  };

  // A batch of lookups that is sorted again in every run.
  class Sortable : public Put {
   public:
    virtual void restore() = 0;  // the unsorted order
    virtual void sort(std::size_t first, std::size_t count) = 0;
  };

  // Where an index writes the sums of a batch.
  class Sums {
   public:
    virtual ~Sums() = default;
    [[nodiscard]] virtual std::uint64_t* data() = 0;
    [[nodiscard]] virtual rtindex::Place place() const { return rtindex::Place::host; }
    // Overwrites everything, so that no answer of an earlier run can be taken for a new one.
    virtual void wipe() = 0;
    // The sums in host memory.
    [[nodiscard]] virtual std::span<const std::uint64_t> fetch() = 0;
  };

  virtual ~Place() = default;
  // The host's column stays as it is for as long as what was put lives.
  [[nodiscard]] virtual std::unique_ptr<Put> put(const ColumnView& column) = 0;
  [[nodiscard]] virtual std::unique_ptr<Sortable> put_to_sort(const KeyArray& keys) = 0;
  [[nodiscard]] virtual std::unique_ptr<Sums> sums(std::size_t size) = 0;
  // What the work takes until its results are there.
  [[nodiscard]] virtual double milliseconds(const std::function<void()>& work) = 0;
  // What sorts here, for the records.
  [[nodiscard]] virtual std::string sorter() const = 0;
};

// Host memory, timed by the clock on the wall.
[[nodiscard]] std::unique_ptr<Place> host_place();
// The memory of the GPU, timed by CUDA events; only where CUDA is built in.
[[nodiscard]] std::unique_ptr<Place> device_place();

// The place that an index of this spec works best with.
[[nodiscard]] std::unique_ptr<Place> place_for(const Spec& spec);

}  // namespace rtindex::bench
