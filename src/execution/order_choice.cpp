#include "execution/order_choice.hpp"

#include <fmt/format.h>

#include <bit>

namespace rtindex {

namespace {

constexpr std::uint32_t measure_again = 64;  // batches

}  // namespace

OrderChoice::Cost& OrderChoice::cost_of(std::size_t lookups, LookupKind kind) const {
  return costs_[static_cast<std::size_t>(std::bit_width(lookups)) - 1]
               [static_cast<std::size_t>(kind)];
}

bool OrderChoice::in_order(std::size_t lookups, LookupKind kind) const {
  if (order_ != Order::automatic) return order_ == Order::on;
  if (lookups < least_lookups) return false;
  const std::lock_guard lock(mutex_);
  Cost& cost = cost_of(lookups, kind);
  if (cost.as_asked == 0) return false;
  if (cost.in_order == 0) return true;
  const bool better = cost.in_order < cost.as_asked;
  return ++cost.batches % measure_again == 0 ? !better : better;
}

void OrderChoice::measured(std::size_t lookups, LookupKind kind, bool in_order,
                           double nanoseconds) const {
  if (order_ != Order::automatic || lookups < least_lookups) return;
  const std::lock_guard lock(mutex_);
  Cost& cost = cost_of(lookups, kind);
  (in_order ? cost.in_order : cost.as_asked) = nanoseconds / static_cast<double>(lookups);
}

std::string OrderChoice::describe() const {
  if (order_ == Order::on) return "order: on (batches are answered in key order)\n";
  if (order_ == Order::off) return "order: off (batches are answered as asked)\n";
  std::string measured;
  const std::lock_guard lock(mutex_);
  for (std::size_t log2 = 0; log2 < costs_.size(); ++log2)
    for (const LookupKind kind : {LookupKind::point, LookupKind::range}) {
      const Cost& cost = costs_[log2][static_cast<std::size_t>(kind)];
      if (cost.in_order == 0) continue;
      measured +=
          fmt::format("; {} batches from 2^{}: {:.1f} ns a lookup as asked, {:.1f} in order",
                      name_of(kind), log2, cost.as_asked, cost.in_order);
    }
  return fmt::format("order: auto (the quicker way for large batches, by measuring both{})\n",
                     measured.empty() ? "; none measured yet" : measured);
}

}  // namespace rtindex
