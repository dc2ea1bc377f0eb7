#include <tbb/parallel_sort.h>

#include <algorithm>

#include "base/parallel.hpp"
#include "harness/place.hpp"
#include "harness/timing.hpp"

namespace rtindex::bench {

namespace {

std::size_t width_of(const ColumnView& view) {
  return view.type() == Type::u32 ? sizeof(std::uint32_t) : sizeof(std::uint64_t);
}

ColumnView slice_of(const ColumnView& view, std::size_t first, std::size_t count) {
  return ColumnView::of(view.type(),
                        static_cast<const std::byte*>(view.data()) + first * width_of(view), count);
}

class HostPut : public Place::Put {
 public:
  explicit HostPut(const ColumnView& column) : column_(column) {}
  [[nodiscard]] ColumnView view() const override { return column_; }
  [[nodiscard]] ColumnView slice(std::size_t first, std::size_t count) const override {
    return slice_of(column_, first, count);
  }

 private:
  ColumnView column_;
};

class HostSortable : public Place::Sortable {
 public:
  explicit HostSortable(const KeyArray& keys) : unsorted_(keys), keys_(keys) {}
  [[nodiscard]] ColumnView view() const override { return keys_.view(); }
  [[nodiscard]] ColumnView slice(std::size_t first, std::size_t count) const override {
    return slice_of(keys_.view(), first, count);
  }
  void restore() override { keys_ = unsorted_; }
  void sort(std::size_t first, std::size_t count) override {
    keys_.visit([&](auto& keys) {
      const auto begin = keys.begin() + static_cast<std::ptrdiff_t>(first);
      tbb::parallel_sort(begin, begin + static_cast<std::ptrdiff_t>(count));
    });
  }

 private:
  const KeyArray& unsorted_;
  KeyArray keys_;
};

class HostSums : public Place::Sums {
 public:
  explicit HostSums(std::size_t size) : sums_(size) {}
  [[nodiscard]] std::uint64_t* data() override { return sums_.data(); }
  void wipe() override {
    // Above every sum of 2^31 32-bit values, and not the miss value.
    constexpr std::uint64_t nothing = 0xa5a5a5a5a5a5a5a5U;
    parallel_for(sums_.size(), 1 << 16, [&](std::size_t first, std::size_t count) {
      std::fill_n(sums_.begin() + static_cast<std::ptrdiff_t>(first), count, nothing);
    });
  }
  [[nodiscard]] std::span<const std::uint64_t> fetch() override { return sums_; }

 private:
  std::vector<std::uint64_t> sums_;
};

class HostPlace : public Place {
 public:
  [[nodiscard]] std::unique_ptr<Put> put(const ColumnView& column) override {
    return std::make_unique<HostPut>(column);
  }
  [[nodiscard]] std::unique_ptr<Sortable> put_to_sort(const KeyArray& keys) override {
    return std::make_unique<HostSortable>(keys);
  }
  [[nodiscard]] std::unique_ptr<Sums> sums(std::size_t size) override {
    return std::make_unique<HostSums>(size);
  }
  [[nodiscard]] double milliseconds(const std::function<void()>& work) override {
    return bench::milliseconds(work);
  }
  [[nodiscard]] std::string sorter() const override { return "tbb::parallel_sort"; }
};

}  // namespace

std::unique_ptr<Place> host_place() { return std::make_unique<HostPlace>(); }

#if !defined(RTINDEX_HAS_CUDA)
std::unique_ptr<Place> device_place() { return host_place(); }
#endif

std::unique_ptr<Place> place_for(const Spec& spec) {
  const bool on_gpu = spec.device() == "cuda" || spec.tracer() == "optix";
  return on_gpu ? device_place() : host_place();
}

}  // namespace rtindex::bench
