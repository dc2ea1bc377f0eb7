#include "gpu/host_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "base/cuda/runtime.hpp"

namespace rtindex::bench {

namespace {

enum class HostKind {
  pinned,
  pageable,
  untouched,   // pageable; answers go to pages that were not written yet
  registered,  // pageable; every call pins it and unpins it
};

const char* name_of(HostKind kind) {
  switch (kind) {
    case HostKind::pinned: return "pinned";
    case HostKind::pageable: return "ordinary";
    case HostKind::untouched: return "ordinary, new answers";
    case HostKind::registered: return "registered by the call";
  }
  return "unknown";
}

// An array in host memory.
class HostBuffer {
 public:
  HostBuffer(HostKind kind, std::size_t bytes) : kind_(kind), bytes_(bytes) { allocate(); }
  HostBuffer(HostKind kind, const void* on_device, std::size_t bytes) : HostBuffer(kind, bytes) {
    cuda::check(cudaMemcpy(data(), on_device, bytes, cudaMemcpyDeviceToHost), "copying");
  }

  [[nodiscard]] void* data() const { return memory_.get(); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  template <class T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(data());
  }
  // Overwrites the results of an earlier run.
  void poison() {
    if (kind_ == HostKind::untouched)
      allocate();
    else
      std::memset(data(), 0xa5, bytes_);
  }
  void copy_to(const DeviceBuffer& device) const {
    cuda::check(cudaMemcpy(device.data(), data(), bytes_, cudaMemcpyHostToDevice), "copying");
  }

 private:
  void allocate() {
    memory_.reset();
    if (kind_ == HostKind::pinned) {
      void* pinned = nullptr;
      cuda::check(cudaHostAlloc(&pinned, bytes_, cudaHostAllocDefault), "allocating pinned memory");
      memory_.reset(pinned, [](void* memory) { static_cast<void>(cudaFreeHost(memory)); });
    } else {
      memory_.reset(std::malloc(bytes_), std::free);
      if (memory_ == nullptr) throw std::bad_alloc();
    }
  }

  HostKind kind_;
  std::size_t bytes_;
  std::shared_ptr<void> memory_;
};

using Buffers = std::vector<HostBuffer*>;

class HostQuestions {
 public:
  HostQuestions(GpuReport& report, std::string spec, HostKind kind, int key_bits, int lookup_bits)
      : report_(report),
        spec_(std::move(spec)),
        kind_(kind),
        key_bits_(key_bits),
        lookup_bits_(lookup_bits) {}

  void points() {
    const GpuColumn column(key_rule(KeySpread::uniform, 4, key_bits_));
    HostBuffer keys(kind_, column.keys.data(), column.keys.bytes());
    std::optional<Index> index;
    const ColumnView key_view = ColumnView::of(Type::u32, keys.data(), column.rule.rows);
    const Times built =
        time([&] { index.reset(); }, {&keys}, [&] { index.emplace(build(key_view, spec_)); });
    add("build", "build_ms", built, 0, keys.bytes());

    const GpuLookups lookups(std::size_t{1} << lookup_bits_, 4);
    make_lookups(column.rule, LookupPattern::hits, 1, lookups.count, lookups.keys.data());
    HostBuffer wanted(kind_, lookups.keys.data(), lookups.keys.bytes());
    const ColumnView view = ColumnView::of(Type::u32, wanted.data(), lookups.count);
    HostBuffer rows(kind_, lookups.count * sizeof(std::uint32_t));
    const Times any = time(
        [&] { rows.poison(); }, {&wanted, &rows},
        [&] { index->answer_into(Query::equal(view), {}, {.any = rows.as<std::uint32_t>()}); });
    rows.copy_to(lookups.sums);
    const auto* const found = lookups.sums.as<std::uint32_t>();
    add("any", "lookup_ms", any, wrong_rows(column.rule, lookups.keys.data(), lookups.count, found),
        wanted.bytes() + rows.bytes());

    HostBuffer sums(kind_, lookups.sums.bytes());
    HostBuffer values(kind_, column.values.data(), column.values.bytes());
    const auto add_sums = [&](const char* question, const ColumnView& from, Buffers buffers,
                              std::size_t bytes) {
      buffers.push_back(&wanted);
      buffers.push_back(&sums);
      const Times times = time(
          [&] { sums.poison(); }, buffers,
          [&] { index->answer_into(Query::equal(view), {.values = from}, {.sum = sums.data()}); });
      sums.copy_to(lookups.sums);
      add(question, "lookup_ms", times,
          wrong_sums(column.rule, lookups.keys.data(), lookups.count,
                     lookups.sums.as<std::uint64_t>()),
          wanted.bytes() + sums.bytes() + bytes);
    };
    add_sums("sum, values on the GPU", column.value_view(), {}, 0);
    add_sums("sum, values on the host", ColumnView::of(Type::u32, values.data(), column.rule.rows),
             {&values}, values.bytes());
    if (kind_ == HostKind::pinned || kind_ == HostKind::pageable)
      small_batches(*index, column, lookups, wanted, rows);
    update(*index, column, keys, lookups);
  }

  void ranges() {
    const GpuColumn column(key_rule(KeySpread::dense, 4, key_bits_));
    const Index index = build(column.key_view(), spec_);
    if (!index.supports(Answer::count, QueryKind::range)) return;
    constexpr std::uint32_t hits = 16;
    const GpuRanges ranges(std::size_t{1} << lookup_bits_);
    make_ranges(column.rule, hits, ranges.count, ranges.lower.data(), ranges.upper.data());
    HostBuffer lower(kind_, ranges.lower.data(), ranges.lower.bytes());
    HostBuffer upper(kind_, ranges.upper.data(), ranges.upper.bytes());
    HostBuffer counts(kind_, ranges.count * sizeof(std::uint32_t));
    const Times times = time(
        [&] { counts.poison(); }, {&lower, &upper, &counts},
        [&] {
          index.answer_into(Query::range(ColumnView::of(Type::u32, lower.data(), ranges.count),
                                         ColumnView::of(Type::u32, upper.data(), ranges.count)),
                            {}, {.count = counts.as<std::uint32_t>()});
        });
    const auto* const found = counts.as<std::uint32_t>();
    const auto wrong = std::count_if(found, found + ranges.count,
                                     [](std::uint32_t count) { return count != hits; });
    add("range count", "lookup_ms", times, static_cast<std::uint64_t>(wrong),
        lower.bytes() + upper.bytes() + counts.bytes());
  }

 private:
  // Milliseconds of the host, for a call that may have to register its arrays.
  [[nodiscard]] Times time(const std::function<void()>& prepare, const Buffers& buffers,
                           const std::function<void()>& work) const {
    Times times;
    for (int round = 0; round <= GpuReport::rounds; ++round) {
      prepare();
      const double elapsed = milliseconds([&] {
        if (kind_ != HostKind::registered) return work();
        for (const HostBuffer* buffer : buffers)
          cuda::check(cudaHostRegister(buffer->data(), buffer->bytes(), cudaHostRegisterDefault),
                      "registering host memory");
        work();
        for (const HostBuffer* buffer : buffers)
          cuda::check(cudaHostUnregister(buffer->data()), "unregistering host memory");
      });
      if (round != 0) times.runs.push_back(elapsed);
    }
    return times;
  }

  void add(const std::string& question, const std::string& metric, const Times& times,
           std::uint64_t wrong, std::size_t bytes) {
    const nlohmann::json workload = {{"keys", "32-bit"},
                                     {"keys_log2", key_bits_},
                                     {"lookups_log2", lookup_bits_},
                                     {"memory", name_of(kind_)}};
    const std::string text = fmt::format("{}, {}", question, name_of(kind_));
    report_.add(spec_, text, metric, times, wrong, workload);
    report_.add_number(spec_, text, "gb_per_s", static_cast<double>(bytes) / 1e6 / times.mean(),
                       workload);
  }

  void small_batches(const Index& index, const GpuColumn& column, const GpuLookups& lookups,
                     HostBuffer& wanted, HostBuffer& rows) {
    for (const int bits : {0, 10, 14, 17, 20}) {
      if (bits > lookup_bits_) break;
      const std::size_t count = std::size_t{1} << bits;
      const ColumnView view = ColumnView::of(Type::u32, wanted.data(), count);
      const Times times = time(
          [&] { rows.poison(); }, {&wanted, &rows},
          [&] { index.answer_into(Query::equal(view), {}, {.any = rows.as<std::uint32_t>()}); });
      rows.copy_to(lookups.sums);
      add(fmt::format("any, batch of 2^{}", bits), "lookup_ms", times,
          wrong_rows(column.rule, lookups.keys.data(), count, lookups.sums.as<std::uint32_t>()),
          2 * count * sizeof(std::uint32_t));
    }
  }

  // Updates rows to the keys that they have, so that answers do not change.
  void update(Index& index, const GpuColumn& column, const HostBuffer& keys,
              const GpuLookups& lookups) {
    const std::size_t count = std::min<std::size_t>(column.rule.rows, std::size_t{1} << 22);
    HostBuffer rows(kind_, count * sizeof(std::uint32_t));
    HostBuffer same(kind_, count * sizeof(std::uint32_t));
    for (std::size_t i = 0; i < count; ++i)
      rows.as<std::uint32_t>()[i] = static_cast<std::uint32_t>(i);
    std::memcpy(same.data(), keys.data(), same.bytes());
    const Times times = time([] {}, {&rows, &same},
                             [&] {
                               index.update(ColumnView::of(Type::u32, rows.data(), count),
                                            ColumnView::of(Type::u32, same.data(), count));
                             });
    const ColumnView view =
        ColumnView::of(Type::u32, lookups.keys.data(), lookups.count).on_device();
    lookups.sums.poison();
    Outputs outputs;
    outputs.memory_space = MemorySpace::device;
    outputs.any = lookups.sums.as<std::uint32_t>();
    index.answer_into(Query::equal(view), {}, outputs);
    cuda::check(cudaStreamSynchronize(nullptr), "looking up");
    add(fmt::format("update of {} rows", count), "update_ms", times,
        wrong_rows(column.rule, lookups.keys.data(), lookups.count, outputs.any),
        rows.bytes() + same.bytes());
  }

  GpuReport& report_;
  std::string spec_;
  HostKind kind_;
  int key_bits_, lookup_bits_;
};

}  // namespace

void measure_host_memory(GpuReport& report, const std::vector<std::string>& indexes, int key_bits,
                         int lookup_bits) {
  fmt::print("\nhost memory, 2^{} keys, 2^{} lookups\n", key_bits, lookup_bits);
  for (const std::string& spec : indexes)
    for (const HostKind kind :
         {HostKind::pinned, HostKind::pageable, HostKind::untouched, HostKind::registered}) {
      HostQuestions questions(report, spec, kind, key_bits, lookup_bits);
      questions.points();
      questions.ranges();
    }
}

}  // namespace rtindex::bench
