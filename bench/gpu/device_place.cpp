#include <cuda_runtime_api.h>

#include <vector>

#include "base/types.hpp"
#include "gpu/device_buffer.hpp"
#include "gpu/device_sort.hpp"
#include "harness/place.hpp"

namespace rtindex::bench {

namespace {

std::size_t bytes_of(const ColumnView& column) { return column.size() * width_of(column.type()); }

void upload(const DeviceBuffer& to, const ColumnView& from) {
  if (bytes_of(from) != 0)
    cuda::check(cudaMemcpy(to.data(), from.data(), bytes_of(from), cudaMemcpyHostToDevice),
                "copying a workload to the GPU");
}

ColumnView view_of(const DeviceBuffer& buffer, Type type, std::size_t first, std::size_t count) {
  return ColumnView::of(type, buffer.as<std::byte>() + first * width_of(type), count).on_device();
}

class DevicePut : public Place::Put {
 public:
  explicit DevicePut(const ColumnView& column)
      : type_(column.type()),
        size_(column.size()),
        is_none_(column.data() == nullptr),
        elements_(bytes_of(column)) {
    upload(elements_, column);
  }
  // No column at all stays none: the index then takes the values that it includes.
  [[nodiscard]] ColumnView view() const override {
    return is_none_ ? ColumnView() : slice(0, size_);
  }
  [[nodiscard]] ColumnView slice(std::size_t first, std::size_t count) const override {
    return view_of(elements_, type_, first, count);
  }

 private:
  Type type_;
  std::size_t size_;
  bool is_none_;
  DeviceBuffer elements_;
};

class DeviceSortable : public Place::Sortable {
 public:
  explicit DeviceSortable(const KeyArray& keys)
      : type_(keys.view().type()),
        size_(keys.size()),
        unsorted_(bytes_of(keys.view())),
        keys_(bytes_of(keys.view())),
        sorter_(keys.size(), keys.bits() / 8) {
    upload(unsorted_, keys.view());
    DeviceSortable::restore();
  }
  [[nodiscard]] ColumnView view() const override { return slice(0, size_); }
  [[nodiscard]] ColumnView slice(std::size_t first, std::size_t count) const override {
    return view_of(keys_, type_, first, count);
  }
  void restore() override {
    cuda::check(cudaMemcpy(keys_.data(), unsorted_.data(), keys_.bytes(), cudaMemcpyDeviceToDevice),
                "copying on the GPU");
  }
  void sort(std::size_t first, std::size_t count) override {
    sorter_.sort(keys_.as<std::byte>() + first * width_of(type_), count);
  }

 private:
  Type type_;
  std::size_t size_;
  DeviceBuffer unsorted_, keys_;
  DeviceSorter sorter_;
};

class DeviceSums : public Place::Sums {
 public:
  explicit DeviceSums(std::size_t size) : sums_(size * sizeof(std::uint64_t)), fetched_(size) {}
  [[nodiscard]] std::uint64_t* data() override { return sums_.as<std::uint64_t>(); }
  [[nodiscard]] rtindex::Place place() const override { return rtindex::Place::device; }
  void wipe() override {
    cuda::check(cudaMemset(sums_.data(), 0xa5, sums_.bytes()), "filling memory");
  }
  [[nodiscard]] std::span<const std::uint64_t> fetch() override {
    cuda::check(cudaMemcpy(fetched_.data(), sums_.data(), sums_.bytes(), cudaMemcpyDeviceToHost),
                "copying sums from the GPU");
    return fetched_;
  }

 private:
  DeviceBuffer sums_;
  std::vector<std::uint64_t> fetched_;
};

class DevicePlace : public Place {
 public:
  [[nodiscard]] std::unique_ptr<Put> put(const ColumnView& column) override {
    return std::make_unique<DevicePut>(column);
  }
  [[nodiscard]] std::unique_ptr<Sortable> put_to_sort(const KeyArray& keys) override {
    return std::make_unique<DeviceSortable>(keys);
  }
  [[nodiscard]] std::unique_ptr<Sums> sums(std::size_t size) override {
    return std::make_unique<DeviceSums>(size);
  }
  [[nodiscard]] double milliseconds(const std::function<void()>& work) override {
    clock_.start();
    work();
    return clock_.stop();
  }
  [[nodiscard]] std::string sorter() const override { return "cub::DeviceRadixSort"; }

 private:
  DeviceClock clock_;
};

}  // namespace

std::unique_ptr<Place> device_place() { return std::make_unique<DevicePlace>(); }

}  // namespace rtindex::bench
