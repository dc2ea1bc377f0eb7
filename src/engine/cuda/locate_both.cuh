#pragma once

#include <cstdint>
#include <type_traits>

#include "answers/aggregate.hpp"
#include "answers/cuda/device_answers.hpp"
#include "answers/cuda/write_matched.cuh"
#include "answers/values.hpp"
#include "engine/cuda/locate.cuh"
#include "order/cuda/device_filter.cuh"

namespace rtindex::cuda {

// The rows of a point lookup in two columns with unique keys, a large one and a newer, small one.
// Most keys are not in the newer one: its filter excludes them by one cached word.
template <class Main, class Newer>
struct PairFinder {
  static_assert(Main::lanes == 1 && Newer::lanes == 1);

  Main main;
  Newer newer;
  ValidRows main_rows, newer_rows;
  KeyFilter newer_keys;

  [[nodiscard]] __device__ std::uint32_t row_in_main(bool possible, typename Main::Key key) const {
    return possible ? main_rows(main.row(key)) : miss_row;
  }
  [[nodiscard]] __device__ std::uint32_t row_in_newer(bool possible,
                                                      typename Newer::Key key) const {
    return possible ? newer_rows(newer.row(key)) : miss_row;
  }
};

// Looks into the newer column only where the main one has no valid row.
template <class Pair, class MainReader, class NewerReader>
__global__ void __launch_bounds__(block_threads)
    find_any_kernel(Pair pair, MainReader main, NewerReader newer, std::size_t count,
                    std::uint32_t* rows) {
  const std::size_t i = thread_number();
  if (i >= count) return;
  const std::uint64_t bits = main.bits(i);
  typename decltype(pair.main)::Key key;
  const bool possible = main.encode(bits, key);
  std::uint32_t row = pair.row_in_main(possible, key);
  if (row == miss_row) {
    typename decltype(pair.newer)::Key newer_key;
    const bool in_newer = newer.encode(bits, newer_key) && may_hold(pair.newer_keys, newer_key);
    row = pair.row_in_newer(in_newer, newer_key);
  }
  __stcs(rows + i, row);
}

// Writes all answers that follow from at most one row in each column.
template <class Class, class Pair, class MainReader, class NewerReader>
__global__ void __launch_bounds__(block_threads)
    answer_pair_kernel(Pair pair, MainReader main, NewerReader newer, std::size_t count,
                       DeviceRequest request) {
  const std::size_t i = thread_number();
  std::uint32_t a = miss_row;
  std::uint32_t b = miss_row;
  if (i < count) {
    typename decltype(pair.main)::Key key;
    typename decltype(pair.newer)::Key newer_key;
    const std::uint64_t bits = main.bits(i);
    const bool in_main = main.encode(bits, key);
    const bool in_newer = newer.encode(bits, newer_key) && may_hold(pair.newer_keys, newer_key);
    a = pair.row_in_main(in_main, key);
    b = pair.row_in_newer(in_newer, newer_key);
  }
  const std::uint32_t matches = (a != miss_row ? 1 : 0) + (b != miss_row ? 1 : 0);
  if (request.matched != nullptr) write_matched(request.matched, i, count, matches != 0);
  if (i >= count) return;
  if (request.any != nullptr) __stcs(request.any + i, a != miss_row ? a : b);
  if (request.first != nullptr) __stcs(request.first + i, Min{}(a, b));
  if (request.last != nullptr) __stcs(request.last + i, Last{}(a, b));
  if (request.count != nullptr) __stcs(request.count + i, matches);
  if (request.sum == nullptr && request.min == nullptr && request.max == nullptr) return;
  const Values<Class> values{request.values, request.value_type};
  ValueAggregate<Class> own;
  if (a != miss_row) own.add(values[a]);
  if (b != miss_row) own.add(values[b]);
  write_values(request, i, own.or_miss(matches != 0, miss_as<Class>(request.miss)));
}

// The sum alone. The value in the main column and the deleted bit of its row are read together, not
// one after the other.
template <class Class, class Pair, class MainReader, class NewerReader>
__global__ void __launch_bounds__(block_threads)
    add_pair_kernel(Pair pair, MainReader main, NewerReader newer, std::size_t count,
                    Values<Class> values, Class miss, Class* sums) {
  const std::size_t i = thread_number();
  if (i >= count) return;
  typename decltype(pair.main)::Key key;
  typename decltype(pair.newer)::Key newer_key;
  const std::uint64_t bits = main.bits(i);
  const bool in_main = main.encode(bits, key);
  const bool in_newer = newer.encode(bits, newer_key) && may_hold(pair.newer_keys, newer_key);
  const std::uint32_t a = in_main ? pair.main.row(key) : miss_row;
  Class sum = miss;
  bool matched = false;
  if (a != miss_row) {
    const Class value = values[a];
    matched = !pair.main_rows.is_deleted(a);
    if (matched) sum = value;
  }
  if (const std::uint32_t b = pair.row_in_newer(in_newer, newer_key); b != miss_row)
    sum = matched ? Sum{}(sum, values[b]) : values[b];
  __stcs(sums + i, sum);
}

[[nodiscard]] inline bool wants_any_alone(const DeviceRequest& request) {
  return request.any != nullptr && request.first == nullptr && request.last == nullptr &&
         request.count == nullptr && request.matched == nullptr && !request.wants_values();
}

template <class Main, class Newer, class Element>
void launch_answer_pair(const PairFinder<Main, Newer>& pair, const DeviceLookups& lookups,
                        const DeviceLookups& newer_lookups, const DeviceRequest& request,
                        cudaStream_t stream) {
  const auto main = element_reader<typename Main::Key, Element>(lookups);
  const auto newer = element_reader<typename Newer::Key, Element>(newer_lookups);
  const unsigned blocks = blocks_for(lookups.count);
  if (wants_any_alone(request))
    find_any_kernel<<<blocks, block_threads, 0, stream>>>(pair, main, newer, lookups.count,
                                                          request.any);
  else if (request.wants_sum_alone())
    visit_class(class_of(request.value_type), [&]<class Class>() {
      add_pair_kernel<Class><<<blocks, block_threads, 0, stream>>>(
          pair, main, newer, lookups.count, Values<Class>{request.values, request.value_type},
          miss_as<Class>(request.miss), static_cast<Class*>(request.sum));
    });
  else
    visit_class(request.wants_values() ? class_of(request.value_type) : ValueClass::u64,
                [&]<class Class>() {
                  answer_pair_kernel<Class><<<blocks, block_threads, 0, stream>>>(
                      pair, main, newer, lookups.count, request);
                });
  check_launch("looking up points");
}

// For two position searchers of one kind, with lookups that both read as elements.
template <class MainSearcher, class NewerSearcher>
void answer_points_of_both(const MainSearcher& main, bool main_is_wide, const NewerSearcher& newer,
                           bool newer_is_wide, const DeviceLookups& lookups,
                           const DeviceLookups& newer_lookups, const KeyFilter& newer_keys,
                           const DeviceRequest& request, cudaStream_t stream) {
  if (lookups.count == 0) return;
  with_finder(main, main_is_wide, [&]<class Main>(const Main& main_finder) {
    with_finder(newer, newer_is_wide, [&]<class Newer>(const Newer& newer_finder) {
      const PairFinder<Main, Newer> pair{main_finder, newer_finder, ValidRows{lookups.deleted},
                                         ValidRows{newer_lookups.deleted}, newer_keys};
      // Elements of 4 bytes have narrow keys.
      if constexpr (sizeof(typename Main::Key) == 4 && sizeof(typename Newer::Key) == 4)
        if (lookups.element_bytes == 4)
          return launch_answer_pair<Main, Newer, std::uint32_t>(pair, lookups, newer_lookups,
                                                                request, stream);
      launch_answer_pair<Main, Newer, unsigned long long>(pair, lookups, newer_lookups, request,
                                                          stream);
    });
  });
}

}  // namespace rtindex::cuda
