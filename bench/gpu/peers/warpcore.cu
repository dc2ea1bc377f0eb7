// WarpCore's hash table (Juenger et al.): one value per key, groups of 8 threads, load factor 0.8.

#include <warpcore/single_value_hash_table.cuh>

#include "base/cuda/launch.cuh"
#include "gpu/peers/peer.hpp"

namespace rtindex::bench {

namespace {

using cuda::block_threads;
using cuda::blocks_for;
using cuda::check;
using cuda::check_launch;

constexpr double load = 0.8;

// WarpCore reserves two keys: the last two of the domain that workloads draw keys from, which no
// column and no lookup contains.
template <class Key>
constexpr Key reserved(std::uint64_t nth) {
  return static_cast<Key>(BitMix(8 * sizeof(Key))(static_cast<Key>(~std::uint64_t{0} - nth)));
}

template <class Key>
using Table =
    warpcore::SingleValueHashTable<Key, std::uint32_t, reserved<Key>(0), reserved<Key>(1)>;

__global__ void count_rows(std::uint32_t* rows, std::size_t count) {
  const std::size_t i = cuda::thread_number();
  if (i < count) rows[i] = static_cast<std::uint32_t>(i);
}

template <class Table>
__global__ void find_sums(Table table, const typename Table::key_type* lookups, std::size_t count,
                          const std::uint32_t* values, std::uint64_t* sums) {
  namespace groups = cooperative_groups;
  const auto group = groups::tiled_partition<Table::cg_size()>(groups::this_thread_block());
  const std::size_t i = cuda::thread_number() / Table::cg_size();
  if (i >= count) return;
  std::uint32_t row = 0;
  const auto status = table.retrieve(lookups[i], row, group);
  if (group.thread_rank() == 0) sums[i] = status.has_any() ? ~std::uint64_t{0} : values[row];
}

template <class Key>
class Held {
 public:
  explicit Held(std::size_t rows)
      : rows_(rows * sizeof(std::uint32_t)),
        count_(rows),
        table_(static_cast<std::uint64_t>(static_cast<double>(rows) / load)) {
    count_rows<<<blocks_for(rows), block_threads>>>(rows_.as<std::uint32_t>(), rows);
    check_launch("numbering rows");
  }
  void build(const void* keys) {
    table_.init();
    table_.insert(static_cast<const Key*>(keys), rows_.as<std::uint32_t>(), count_);
    check_launch("filling WarpCore's table");
  }
  [[nodiscard]] std::size_t bytes() const { return table_.bytes_total(); }
  void sums(const void* lookups, std::size_t count, const std::uint32_t* values,
            std::uint64_t* sums) const {
    find_sums<<<blocks_for(count * Table<Key>::cg_size()), block_threads>>>(
        table_, static_cast<const Key*>(lookups), count, values, sums);
    check_launch("looking up in WarpCore's table");
  }

 private:
  DeviceBuffer rows_;
  std::size_t count_;
  Table<Key> table_;
};

class WarpCore final : public GpuPeer {
 public:
  [[nodiscard]] std::string name() const override { return "WarpCore (group 8, load 0.8)"; }
  [[nodiscard]] bool takes(const KeyRule& rule) const override {
    return rule.spread == KeySpread::uniform;
  }
  void prepare(const KeyRule& rule) override {
    narrow_.reset();
    wide_.reset();
    if (rule.key_bytes == 4)
      narrow_ = std::make_unique<Held<std::uint32_t>>(rule.rows);
    else
      wide_ = std::make_unique<Held<std::uint64_t>>(rule.rows);
  }
  void build(const void* keys) override { narrow_ ? narrow_->build(keys) : wide_->build(keys); }
  [[nodiscard]] std::size_t bytes() const override {
    return narrow_ ? narrow_->bytes() : wide_->bytes();
  }
  void sums(const void* lookups, std::size_t count, const std::uint32_t* values,
            std::uint64_t* sums) override {
    narrow_ ? narrow_->sums(lookups, count, values, sums)
            : wide_->sums(lookups, count, values, sums);
  }

 private:
  std::unique_ptr<Held<std::uint32_t>> narrow_;
  std::unique_ptr<Held<std::uint64_t>> wide_;
};

}  // namespace

std::unique_ptr<GpuPeer> warpcore_peer() { return std::make_unique<WarpCore>(); }

}  // namespace rtindex::bench
