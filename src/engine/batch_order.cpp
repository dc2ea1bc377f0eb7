#include "engine/batch_order.hpp"

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/cache_size.hpp"

namespace rtindex {

namespace {

// Whether a large batch is in key order already, judged by a few samples.
[[nodiscard]] bool is_sorted(const LookupBatch& batch) {
  constexpr std::size_t samples = 8;
  constexpr std::size_t in_sample = 16;
  if (batch.size() < samples * in_sample) return false;
  Interval intervals[in_sample];
  std::uint64_t last = 0;
  for (std::size_t sample = 0; sample < samples; ++sample) {
    batch.encode(batch.size() / samples * sample, in_sample, intervals, nullptr);
    for (const Interval& interval : intervals) {
      if (interval.empty()) continue;
      if (interval.lower < last) return false;
      last = interval.lower;
    }
  }
  return true;
}

}  // namespace

Order order_of(const Spec& spec) {
  const std::string text = order_option.text(spec);
  return text == "on" ? Order::on : text == "off" ? Order::off : Order::automatic;
}

bool OrderRule::may_order() const { return pays_ && searcher_bytes_ > core_cache_bytes(); }

bool OrderRule::in_order(const LookupBatch& batch) const {
  if (order_ != Order::automatic) return order_ == Order::on && batch.size() > chunk_lookups;
  return may_order() && batch.size() >= min_lookups && !is_sorted(batch);
}

std::string OrderRule::describe() const {
  if (order_ == Order::on) return "order: on (batches are answered in key order)\n";
  if (order_ == Order::off) return "order: off (batches are answered in their own order)\n";
  if (!pays_)
    return "order: auto (batches are answered in their own order: a lookup reads little memory)\n";
  const std::string cache = human_bytes(core_cache_bytes());
  if (!may_order())
    return fmt::format(
        "order: auto (batches are answered in their own order: {} fit a core's cache of {})\n",
        human_bytes(searcher_bytes_), cache);
  return fmt::format(
      "order: auto (batches of {} lookups or more are answered in key order: {} exceed a core's "
      "cache of {})\n",
      min_lookups, human_bytes(searcher_bytes_), cache);
}

namespace {

constexpr std::size_t block_lookups = std::size_t{1} << 15;

// Calls visit(first lookup, intervals, their number) for every chunk of a block.
template <class Visit>
void visit_chunks(const LookupBatch& batch, std::size_t first, std::size_t count, Visit&& visit) {
  Interval intervals[chunk_lookups];
  for (std::size_t begin = first; begin < first + count; begin += chunk_lookups) {
    const std::size_t size = std::min(chunk_lookups, first + count - begin);
    batch.encode(begin, size, intervals, nullptr);
    visit(begin, intervals, size);
  }
}

}  // namespace

PartitionedBatch::PartitionedBatch(const LookupBatch& batch, std::size_t first, std::size_t count,
                                   const KeyParts& parts)
    : items_(count), starts_(parts.size() + 1, 0) {
  const std::size_t blocks = (count + block_lookups - 1) / block_lookups;
  std::vector<std::size_t> offsets(blocks * parts.size(), 0);
  Array<std::uint16_t> part_of(count);
  parallel_for(count, block_lookups, [&](std::size_t begin, std::size_t size) {
    std::size_t* const counts = &offsets[begin / block_lookups * parts.size()];
    visit_chunks(batch, first + begin, size,
                 [&](std::size_t lookup, const Interval* intervals, std::size_t some) {
                   std::uint64_t keys[chunk_lookups];
                   for (std::size_t i = 0; i < some; ++i)
                     keys[i] = intervals[i].empty() ? 0 : intervals[i].lower;
                   std::uint32_t found[chunk_lookups];
                   parts.find(keys, some, found);
                   for (std::size_t i = 0; i < some; ++i) {
                     part_of[lookup - first + i] = static_cast<std::uint16_t>(found[i]);
                     ++counts[found[i]];
                   }
                 });
  });
  std::size_t next = 0;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    starts_[part] = next;
    for (std::size_t block = 0; block < blocks; ++block) {
      std::size_t& offset = offsets[block * parts.size() + part];
      next += std::exchange(offset, next);
    }
  }
  starts_[parts.size()] = next;
  parallel_for(count, block_lookups, [&](std::size_t begin, std::size_t size) {
    std::size_t* const offset = &offsets[begin / block_lookups * parts.size()];
    visit_chunks(
        batch, first + begin, size,
        [&](std::size_t lookup, const Interval* intervals, std::size_t some) {
          const std::uint16_t* const found = part_of.data() + (lookup - first);
          for (std::size_t i = 0; i < some; ++i)
            items_[offset[found[i]]++] = {intervals[i], static_cast<std::uint32_t>(lookup + i)};
        });
  });
}

}  // namespace rtindex
