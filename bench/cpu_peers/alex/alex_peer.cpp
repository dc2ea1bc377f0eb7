// ALEX (Ding et al., SIGMOD 2020), as its authors publish it: github.com/microsoft/ALEX.

#if !defined(NDEBUG)
#define NDEBUG  // its assertions query the features of an x86 processor
#endif

#include <cmath>
#include <utility>
#include <vector>

#include "core/alex.h"
#include "cpu_peers/insert_peers.hpp"

namespace rtindex::bench {

namespace {

class AlexPeer : public InsertPeer {
 public:
  void load(const std::uint64_t* keys, const std::uint32_t* rows, std::size_t count) override {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> pairs(count);
    for (std::size_t i = 0; i < count; ++i) pairs[i] = {keys[i], rows[i]};
    map_.bulk_load(pairs.data(), static_cast<int>(count));
  }
  void insert(const std::uint64_t* keys, const std::uint32_t* rows, std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) map_.insert(keys[i], rows[i]);
  }
  [[nodiscard]] std::uint32_t find(std::uint64_t key) override {
    const std::uint32_t* row = map_.get_payload(key);
    return row == nullptr ? no_such_row : *row;
  }

 private:
  alex::Alex<std::uint64_t, std::uint32_t> map_;
};

}  // namespace

std::unique_ptr<InsertPeer> alex_peer() { return std::make_unique<AlexPeer>(); }

}  // namespace rtindex::bench
