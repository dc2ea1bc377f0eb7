// The B+-tree of MVGpuBTree (Awad et al.): 16 threads a node, 32-bit keys, made in bulk from sorted
// pairs. It answers with rowIDs, and ranges with (key, rowID) pairs; a second kernel adds values
// up.

#include <gpu_btree.h>

#include <cub/device/device_radix_sort.cuh>

#include "base/cuda/launch.cuh"
#include "gpu/peers/peer.hpp"

namespace rtindex::bench {

namespace {

using cuda::block_threads;
using cuda::blocks_for;
using cuda::check;
using cuda::check_launch;
using cuda::thread_number;

using Node = GpuBTree::node_type<std::uint32_t, std::uint32_t, 16>;
// Room for 2^24 nodes of 128 bytes; 2^26 keys need 9.6 million.
using Memory = device_bump_allocator<Node, std::size_t{1} << 24>;
using Tree = GpuBTree::gpu_blink_tree<std::uint32_t, std::uint32_t, 16, Memory>;
using Pair = Tree::pair_type;

// New leaves are half full, as their authors make them.
constexpr std::uint32_t fan = 8;
constexpr std::uint32_t log_fan = 3;

constexpr std::uint32_t miss_row = 0xffffffffU;

__global__ void count_rows(std::uint32_t* rows, std::size_t count) {
  const std::size_t i = thread_number();
  if (i < count) rows[i] = static_cast<std::uint32_t>(i);
}

__global__ void values_of_rows(const std::uint32_t* rows, std::size_t count,
                               const std::uint32_t* values, std::uint64_t* sums) {
  const std::size_t i = thread_number();
  if (i < count) sums[i] = rows[i] == miss_row ? ~std::uint64_t{0} : values[rows[i]];
}

// A warp adds up the values of one lookup.
__global__ void values_of_pairs(const Pair* pairs, const std::uint32_t* counts, std::uint32_t room,
                                std::size_t count, const std::uint32_t* values,
                                std::uint64_t* sums) {
  const std::size_t i = thread_number() / 32;
  if (i >= count) return;
  std::uint64_t sum = 0;
  for (std::uint32_t at = threadIdx.x % 32; at < counts[i]; at += 32)
    sum += values[pairs[i * room + at].second];
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(~0U, sum, lanes);
  if (threadIdx.x % 32 == 0) sums[i] = counts[i] == 0 ? ~std::uint64_t{0} : sum;
}

__global__ void count_up(const std::uint32_t* keys, std::size_t count, std::uint32_t* next) {
  const std::size_t i = thread_number();
  if (i < count) next[i] = keys[i] + 1;
}

// Levels of a bulk-loaded tree over this many keys.
struct Shape {
  std::uint32_t leaves = 0, nodes = 0, height = 1;

  explicit Shape(std::uint32_t keys) {
    const auto up = [](std::uint32_t children) { return (children + fan - 1) / fan; };
    leaves = up(keys);
    nodes = leaves;
    for (std::uint32_t level = leaves; level > 1; ++height) nodes += level = up(level);
  }
};

class BlinkTree final : public GpuPeer {
 public:
  [[nodiscard]] std::string name() const override { return "MVGpuBTree (16 threads a node)"; }
  [[nodiscard]] bool takes(const KeyRule& rule) const override {
    return rule.key_bytes == 4 && rule.multiplicity == 1;
  }

  void prepare(const KeyRule& rule) override {
    rows_ = rule.rows;
    const std::size_t bytes = rows_ * sizeof(std::uint32_t);
    for (std::unique_ptr<DeviceBuffer>* buffer : {&row_numbers_, &keys_, &sorted_rows_})
      *buffer = std::make_unique<DeviceBuffer>(bytes);
    count_rows<<<blocks_for(rows_), block_threads>>>(row_numbers_->as<std::uint32_t>(), rows_);
    check_launch("numbering rows");
    scratch_bytes_ = 0;
    sort(nullptr, nullptr);
    scratch_ = std::make_unique<DeviceBuffer>(scratch_bytes_);
    found_.reset();
    tree_ = std::make_unique<Tree>();
  }

  // The tree adds key 0 with row 0 itself. All columns here have this pair.
  void build(const void* keys) override {
    sort(scratch_->data(), static_cast<const std::uint32_t*>(keys));
    const auto count = static_cast<std::uint32_t>(rows_);
    const Shape shape(count);
    constexpr unsigned threads = 256;
    GpuBTree::kernels::bulk_build_kernel<<<(shape.nodes * 32 + threads - 1) / threads, threads>>>(
        keys_->as<std::uint32_t>() + 1, sorted_rows_->as<std::uint32_t>() + 1, count, shape.nodes,
        shape.leaves, shape.height, fan, log_fan, *tree_);
    check_launch("building MVGpuBTree's tree");
    nodes_ = shape.nodes;
  }

  [[nodiscard]] std::size_t bytes() const override { return nodes_ * sizeof(Node); }

  void sums(const void* lookups, std::size_t count, const std::uint32_t* values,
            std::uint64_t* sums) override {
    auto* const rows = found(count * sizeof(std::uint32_t)).as<std::uint32_t>();
    tree_->find(static_cast<const std::uint32_t*>(lookups), rows, static_cast<unsigned>(count));
    values_of_rows<<<blocks_for(count), block_threads>>>(rows, count, values, sums);
    check_launch("looking up in MVGpuBTree's tree");
  }

  [[nodiscard]] bool answers_ranges() const override { return true; }

  void range_sums(const std::uint32_t* lower, const std::uint32_t* upper, std::uint64_t hits,
                  std::size_t count, const std::uint32_t* values, std::uint64_t* sums) override {
    // It numbers pairs by 32 bits.
    constexpr std::size_t max_pairs = std::size_t{1} << 28;
    const auto room = static_cast<std::uint32_t>(hits);
    const std::size_t each = std::min(count, max_pairs / room);
    const DeviceBuffer& memory = found(each * (room * sizeof(Pair) + 2 * sizeof(std::uint32_t)));
    auto* const pairs = memory.as<Pair>();
    auto* const counts = reinterpret_cast<std::uint32_t*>(pairs + each * room);
    std::uint32_t* const behind = counts + each;
    for (std::size_t first = 0; first < count; first += each) {
      const std::size_t size = std::min(each, count - first);
      // Its ranges end before their upper key.
      count_up<<<blocks_for(size), block_threads>>>(upper + first, size, behind);
      tree_->range_query(lower + first, behind, pairs, counts, room, static_cast<unsigned>(size));
      values_of_pairs<<<blocks_for(size * 32), block_threads>>>(pairs, counts, room, size, values,
                                                                sums + first);
    }
    check_launch("looking up ranges in MVGpuBTree's tree");
  }

 private:
  void sort(void* scratch, const std::uint32_t* keys) {
    check(cub::DeviceRadixSort::SortPairs(scratch, scratch_bytes_, keys, keys_->as<std::uint32_t>(),
                                          row_numbers_->as<std::uint32_t>(),
                                          sorted_rows_->as<std::uint32_t>(), rows_),
          "sorting keys");
  }

  // Memory for its results, kept between calls as ours is.
  const DeviceBuffer& found(std::size_t bytes) {
    if (!found_ || found_->bytes() < bytes) {
      found_.reset();
      found_ = std::make_unique<DeviceBuffer>(bytes);
    }
    return *found_;
  }

  std::size_t rows_ = 0;
  std::size_t nodes_ = 0;
  std::size_t scratch_bytes_ = 0;
  std::unique_ptr<DeviceBuffer> row_numbers_, keys_, sorted_rows_, scratch_, found_;
  std::unique_ptr<Tree> tree_;
};

}  // namespace

std::unique_ptr<GpuPeer> mvgpubtree_peer() { return std::make_unique<BlinkTree>(); }

}  // namespace rtindex::bench
