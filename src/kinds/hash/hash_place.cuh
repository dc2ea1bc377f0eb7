#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "base/cuda/launch.cuh"
#include "kinds/hash/hash_slots.cuh"

// How sorted entries get their slots in hash@cuda. Included by one file only.

namespace rtindex::cuda {

namespace {

// How entries advance the next free slot: it becomes max(next + used, min_next).
struct Fill {
  unsigned long long used, min_next;

  [[nodiscard]] __device__ unsigned long long next() const { return max(used, min_next); }
};
struct FillThen {
  __device__ Fill operator()(const Fill& first, const Fill& second) const {
    return {first.used + second.used, max(first.min_next + second.used, second.min_next)};
  }
};

template <class Hash>
struct FillOf {
  Entries<Hash> entries;
  std::uint32_t buckets;

  __device__ Fill operator()(std::size_t i) const {
    if (!entries.starts(i)) return {0, 0};
    return {1, std::uint64_t{bucket_of(entries.hash(i), buckets)} * bucket_slots<Hash> + 1};
  }
};

// The output iterator of a scan: converts the Fill of all entries before an entry to the slots of
// this entry, which are its own and the empty ones before it.
template <class Hash>
class PlaceEntries {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = Fill;
  using difference_type = std::ptrdiff_t;
  using pointer = void;

  class reference {
   public:
    __device__ reference(const PlaceEntries& to, std::size_t i) : to_(to), i_(i) {}
    __device__ const reference& operator=(const Fill& before) const {
      to_.place(i_, before.next());
      return *this;
    }

   private:
    const PlaceEntries& to_;
    std::size_t i_;
  };

  PlaceEntries(Entries<Hash> entries, std::size_t size, std::uint32_t buckets, Slots<Hash> slots,
               std::uint64_t capacity, unsigned long long* used)
      : entries_(entries),
        size_(size),
        buckets_(buckets),
        slots_(slots),
        capacity_(capacity),
        used_(used) {}

  [[nodiscard]] __host__ __device__ PlaceEntries operator+(difference_type more) const {
    PlaceEntries result = *this;
    result.first_ += static_cast<std::size_t>(more);
    return result;
  }
  [[nodiscard]] __device__ reference operator[](difference_type i) const {
    return {*this, first_ + static_cast<std::size_t>(i)};
  }
  [[nodiscard]] __device__ reference operator*() const { return (*this)[0]; }

 private:
  __device__ void place(std::size_t i, std::uint64_t next) const {
    if (entries_.starts(i)) {
      const Hash hash = entries_.hash(i);
      const std::uint32_t value = entries_.value(i);
      const std::uint64_t home = std::uint64_t{bucket_of(hash, buckets_)} * bucket_slots<Hash>;
      const std::uint64_t at = max(next, home);
      for (; next <= at; ++next)
        if (next < capacity_) slots_.set(next, hash, value);
    }
    if (i + 1 == size_) *used_ = next;
  }

  Entries<Hash> entries_;
  std::size_t size_;
  std::uint32_t buckets_;
  Slots<Hash> slots_;
  std::uint64_t capacity_;
  unsigned long long* used_;
  std::size_t first_ = 0;
};

// Slots behind the last entry repeat it.
template <class Hash>
__global__ void fill_rest(Slots<Hash> slots, std::uint64_t used, std::uint64_t capacity) {
  const std::uint64_t at = used + thread_number();
  if (at < capacity) slots.set(at, slots.hash(used - 1), slots.value(used - 1));
}

}  // namespace

}  // namespace rtindex::cuda
