#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace rtindex {

// Collects the pairs of a join in any order, from many threads: the first ones in buffers, and the
// rest, if it is kept, in memory of its own.
class PairSink {
 public:
  enum class Rest : std::uint8_t { kept, dropped };

  // Buffers for `capacity` pairs. Without `has_rows`, `rows` are not used.
  PairSink(std::uint64_t* lookups, std::uint32_t* rows, std::size_t capacity, bool has_rows,
           Rest rest)
      : lookups_(lookups),
        rows_(rows),
        capacity_(capacity),
        has_rows_(has_rows),
        keeps_rest_(rest == Rest::kept) {}

  void append(const std::uint64_t* lookups, const std::uint32_t* rows, std::size_t count);

  // Below, no thread appends.

  // The number of all pairs.
  [[nodiscard]] std::uint64_t size() const { return size_; }
  // Copies the rest behind the pairs of the buffers; `lookups` and `rows` have room for all pairs.
  void copy_rest(std::uint64_t* lookups, std::uint32_t* rows) const;

 private:
  struct Piece {
    std::uint64_t first;  // its position among all pairs
    std::vector<std::uint64_t> lookups;
    std::vector<std::uint32_t> rows;
  };

  std::uint64_t* lookups_;
  std::uint32_t* rows_;
  std::size_t capacity_;
  bool has_rows_;
  bool keeps_rest_;
  std::atomic<std::uint64_t> size_ = 0;
  std::mutex rest_mutex_;
  std::vector<Piece> rest_;
};

// The pairs of one thread on their way to a sink. Call flush() after the last one.
class PairBuffer {
 public:
  explicit PairBuffer(PairSink& sink) : sink_(sink) {}
  PairBuffer(const PairBuffer&) = delete;
  PairBuffer& operator=(const PairBuffer&) = delete;

  void add(std::uint64_t lookup, std::uint32_t row) {
    if (count_ == size) flush();
    lookups_[count_] = lookup;
    rows_[count_++] = row;
  }
  void flush() {
    if (count_ != 0) sink_.append(lookups_, rows_, count_);
    count_ = 0;
  }

 private:
  static constexpr std::size_t size = 1024;  // a core's first cache holds them

  PairSink& sink_;
  std::size_t count_ = 0;
  std::uint64_t lookups_[size];
  std::uint32_t rows_[size];
};

}  // namespace rtindex
