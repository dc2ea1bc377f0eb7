#include <algorithm>
#include <exception>
#include <utility>
#include <vector>

#include "answers/accumulator.hpp"
#include "answers/request.hpp"
#include "base/parallel.hpp"
#include "engine/interval_query.hpp"
#include "kinds/embree/embree_searchers.hpp"
#include "kinds/embree/interval_scene.hpp"
#include "kinds/embree/scene.hpp"
#include "kinds/scene/edge_order.hpp"
#include "kinds/scene/row_directory.hpp"
#include "kinds/scene/rx_options.hpp"

namespace rtindex {

namespace {

// Intervals by rays, in two scenes. One has the intervals as boxes along x: a perpendicular ray
// hits those that contain a key. The other has their starts as keys: rays along rows hit those in a
// range. Intervals that overlap [a, b] contain a, or start in (a, b].
class IntervalTracer final : public Searcher {
 public:
  IntervalTracer(const RxOptions& options, EncodedColumn column, int threads)
      : column_(std::move(column)),
        intervals_(options, column_, threads),
        starts_(options, column_, threads),
        directory_(options.coordinates, column_) {
    size_ = column_.size();
    capabilities_ = {.key_order = true, .counters = true};
  }

  void answer(const LookupBatch& batch, const Request& request) const override {
    const IntervalQuery query(batch);
    visit_class(request.value_class(), [&]<class Class>() {
      parallel_for(batch.size(), chunk_lookups, [&](std::size_t first, std::size_t count) {
        run_chunk<Class>(query, request, first, count);
      });
    });
  }

  [[nodiscard]] EncodedColumn column() const override { return copy_of(column_); }

  [[nodiscard]] MemoryUsage memory_usage() const override {
    MemoryUsage bytes;
    const std::size_t structures = intervals_.structure_bytes() + starts_.structure_bytes();
    bytes.parts = {{"primitive buffers", intervals_.buffer_bytes() + starts_.buffer_bytes()},
                   {"acceleration structures", structures},
                   {"keys", column_.bytes()},
                   {"row directory", directory_.bytes()}};
    for (const auto& [name, size] : bytes.parts) bytes.resident += size;
    bytes.build_peak = bytes.resident - structures + intervals_.peak_structure_bytes() +
                       starts_.peak_structure_bytes();
    return bytes;
  }

  [[nodiscard]] std::string describe() const override {
    return fmt::format(
        "tracer: {}, rtcOccluded1 with a test per hit\n"
        "scene: {} intervals as {} boxes, and their starts in {} rows\n"
        "rays: perpendicular for intervals that contain a key, along rows for starts in a range\n",
        embree_version(), column_.size(), intervals_.boxes(), directory_.size());
  }

 private:
  // A query as encoded keys: the ends that a match may have.
  struct Wanted {
    Interval starts;
    Interval ends;
  };

  // Receives the hits of one lookup.
  template <class Class>
  struct Receiver {
    const EncodedColumn* column;
    Accumulator<Class>* accumulator;
    RowBits deleted;
    // The hits of a lookup whose rows are requested in the order of starts; null: in any order.
    std::vector<EdgeRow>* unordered;
    Wanted wanted;
    bool done;
    std::exception_ptr error;  // an exception must not pass through Embree

    bool add_hit(std::uint32_t interval) {
      const std::uint64_t start = column->keys[interval];
      if (!wanted.starts.contains(start) || !wanted.ends.contains(column->ends[interval]))
        return false;
      const std::uint32_t row = column->row(interval);
      if (unordered == nullptr) return accumulator->hit(row);
      if (!deleted.has(row)) unordered->push_back({row, start});
      return false;
    }

    static bool on_hit(void* self, std::uint32_t interval) {
      auto& receiver = *static_cast<Receiver*>(self);
      try {
        receiver.done = receiver.add_hit(interval);
      } catch (...) {
        receiver.error = std::current_exception();
        receiver.done = true;
      }
      return receiver.done;
    }
  };

  // The ends that matches of a chunk of lookups may have; empty intervals of lookups without any.
  void encode(const IntervalQuery& query, std::size_t first, std::size_t count,
              Wanted* wanted) const {
    bool is_query[chunk_lookups];
    Interval starts[chunk_lookups];
    Interval ends[chunk_lookups];
    query.find_queries(first, count, is_query);
    query.starts().encode(first, count, starts, nullptr);
    query.ends().encode(first, count, ends, nullptr);
    for (std::size_t i = 0; i < count; ++i) {
      wanted[i] = {empty_interval, empty_interval};
      if (!is_query[i] || ends[i].empty()) continue;
      if (query.starts_before()) {
        if (!starts[i].empty()) wanted[i] = {starts[i], {ends[i].lower, column_.span}};
        continue;
      }
      // Matches start behind the starts that are before them.
      const bool is_any = !query.limits_starts() || starts[i].empty();
      wanted[i] = {{is_any ? 0 : starts[i].upper + 1, ends[i].upper}, {0, ends[i].upper}};
      if (!is_any && starts[i].upper == column_.span) wanted[i].starts = empty_interval;
    }
  }

  template <class Class>
  void run_chunk(const IntervalQuery& query, const Request& request, std::size_t first,
                 std::size_t count) const {
    Wanted wanted[chunk_lookups];
    encode(query, first, count, wanted);
    Accumulator<Class> accumulator(request, first / chunk_lookups);
    std::vector<EdgeRow> unordered;
    const bool is_ordered = request.order != RowOrder::any && request.chunk_rows != nullptr;
    Receiver<Class> receiver{
        &column_, &accumulator, request.deleted, is_ordered ? &unordered : nullptr,
        {},       false,        nullptr};
    EmbreeQuery rays;
    init_context(rays.base);
    rays.receiver = &receiver;
    rays.on_hit = &Receiver<Class>::on_hit;
    Counters work;
    if (request.counters != nullptr) rays.counters = &work;
    for (std::size_t i = 0; i < count; ++i) {
      receiver.wanted = wanted[i];
      receiver.done = accumulator.wants_no_hit();
      accumulator.start(first + i);
      if (!wanted[i].starts.empty() && !receiver.done)
        trace(query.starts_before(), wanted[i], rays, receiver.done);
      if (receiver.error) std::rethrow_exception(receiver.error);
      if (is_ordered) take_in_order(request, first, unordered, accumulator);
      accumulator.finish(first + i);
    }
    if (request.counters != nullptr) add_work(*request.counters, work);
  }

  void trace(bool starts_before, const Wanted& wanted, EmbreeQuery& rays, const bool& done) const {
    if (!starts_before) return starts_.trace_range(directory_, wanted.starts, rays, done);
    // All matches contain this key, or start behind it.
    const std::uint64_t key = std::min(wanted.starts.upper, wanted.ends.lower);
    intervals_.trace(key, rays);
    if (key < wanted.starts.upper && !done)
      starts_.trace_range(directory_, {key + 1, wanted.starts.upper}, rays, done);
  }

  // Adds the hits of a lookup to its answers, in the order of starts, and empties the list.
  template <class Class>
  static void take_in_order(const Request& request, std::size_t first, std::vector<EdgeRow>& hits,
                            Accumulator<Class>& accumulator) {
    std::sort(hits.begin(), hits.end(), [&](const EdgeRow& a, const EdgeRow& b) {
      const std::pair one(a.key, a.row);
      const std::pair other(b.key, b.row);
      return request.order == RowOrder::descending ? other < one : one < other;
    });
    for (const EdgeRow& hit : hits)
      if (accumulator.hit(hit.row)) break;
    if (request.chunk_keys != nullptr)
      for (std::size_t i = 0; i < std::min<std::size_t>(hits.size(), request.limit); ++i)
        (*request.chunk_keys)[first / chunk_lookups].push_back(hits[i].key);
    hits.clear();
  }

  EncodedColumn column_;
  IntervalScene intervals_;
  EmbreeScene starts_;
  RowDirectory directory_;
};

}  // namespace

std::unique_ptr<Searcher> make_interval_tracer(const EmbreeOptions& options, EncodedColumn column) {
  return std::make_unique<IntervalTracer>(options.rx, std::move(column), options.threads);
}

}  // namespace rtindex
