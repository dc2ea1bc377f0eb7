#include "execution/batch_order.hpp"

#include <fmt/format.h>

#include <bit>

#include "base/spec_options.hpp"

namespace rtindex {

namespace {

constexpr std::uint32_t measure_again = 64;  // batches

}  // namespace

Order order_of(const Spec& spec) {
  const std::string text = option_text(spec, "order");
  return text == "on" ? Order::on : text == "off" ? Order::off : Order::automatic;
}

OrderChoice::Cost& OrderChoice::cost_of(std::size_t lookups, LookupKind kind) const {
  return costs_[static_cast<std::size_t>(std::bit_width(lookups)) - 1]
               [static_cast<std::size_t>(kind)];
}

bool OrderChoice::in_order(std::size_t lookups, LookupKind kind) const {
  if (order_ != Order::automatic) return order_ == Order::on;
  if (lookups < least_lookups) return false;
  const std::lock_guard lock(mutex_);
  Cost& cost = cost_of(lookups, kind);
  if (cost.own_order == 0) return false;
  if (cost.key_order == 0) return true;
  const bool better = cost.key_order < cost.own_order;
  return ++cost.batches % measure_again == 0 ? !better : better;
}

void OrderChoice::measured(std::size_t lookups, LookupKind kind, bool in_order,
                           double nanoseconds) const {
  if (order_ != Order::automatic || lookups < least_lookups) return;
  const std::lock_guard lock(mutex_);
  Cost& cost = cost_of(lookups, kind);
  (in_order ? cost.key_order : cost.own_order) = nanoseconds / static_cast<double>(lookups);
}

std::string OrderChoice::describe() const {
  if (order_ == Order::on) return "order: on (batches are answered in key order)\n";
  if (order_ == Order::off) return "order: off (batches are answered in their own order)\n";
  std::string measured;
  const std::lock_guard lock(mutex_);
  for (std::size_t log2 = 0; log2 < costs_.size(); ++log2)
    for (const LookupKind kind : {LookupKind::point, LookupKind::range}) {
      const Cost& cost = costs_[log2][static_cast<std::size_t>(kind)];
      if (cost.key_order == 0) continue;
      measured += fmt::format(
          "; {} batches from 2^{}: {:.1f} ns a lookup in its own order, {:.1f} in key order",
          name_of(kind), log2, cost.own_order, cost.key_order);
    }
  return fmt::format("order: auto (the quicker way for large batches, by measuring both{})\n",
                     measured.empty() ? "; none measured yet" : measured);
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

bool is_sorted(const LookupBatch& batch) {
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
