#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

#include <rtindex/answer.hpp>

namespace rtindex {

enum class Order : std::uint8_t { automatic, on, off };

// Decides from measured times whether large batches are answered in the order of their keys. The
// first large batch of a size is answered as asked, the second in order, later ones in the way that
// took less time; now and then the other way is measured again.
class OrderChoice {
 public:
  explicit OrderChoice(Order order) : order_(order) {}

  // Fewer lookups than this are answered as asked.
  static constexpr std::size_t least_lookups = std::size_t{1} << 16;

  [[nodiscard]] Order order() const { return order_; }
  [[nodiscard]] bool in_order(std::size_t lookups, LookupKind kind) const;
  // What a batch took.
  void measured(std::size_t lookups, LookupKind kind, bool in_order, double nanoseconds) const;
  // A line for describe().
  [[nodiscard]] std::string describe() const;

 private:
  struct Cost {
    double as_asked = 0;  // nanoseconds a lookup; 0: not measured yet
    double in_order = 0;
    std::uint32_t batches = 0;
  };

  [[nodiscard]] Cost& cost_of(std::size_t lookups, LookupKind kind) const;

  Order order_;
  mutable std::mutex mutex_;
  mutable std::array<std::array<Cost, 2>, 64> costs_;  // by the logarithm of the batch's size
};

}  // namespace rtindex
