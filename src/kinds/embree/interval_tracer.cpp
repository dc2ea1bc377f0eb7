#include <algorithm>
#include <utility>

#include "answers/request.hpp"
#include "base/parallel.hpp"
#include "engine/interval_query.hpp"
#include "kinds/embree/embree_searchers.hpp"
#include "kinds/embree/hit_receiver.hpp"
#include "kinds/embree/interval_scene.hpp"
#include "kinds/embree/scene.hpp"
#include "kinds/scene/row_directory.hpp"
#include "kinds/scene/rx_options.hpp"

namespace rtindex {

namespace {

// Intervals by rays, in three scenes. One has the intervals as boxes along x: a perpendicular ray
// hits those that contain a key. Another has their starts as keys: rays along rows hit those in a
// range. Intervals that overlap [a, b] contain a, or start in (a, b]. The third has their ends, for
// neighbours of keys.
class IntervalTracer final : public Searcher {
 public:
  IntervalTracer(const EmbreeOptions& options, EncodedColumn column, IntervalPoints points,
                 const EmbreeScene& starts)
      : column_(std::move(column)),
        intervals_(options.rx, column_, options.threads),
        points_(std::move(points)),
        starts_(starts),
        directory_(options.rx.coordinates, column_) {
    size_ = column_.size();
    capabilities_ = {.key_order = true, .counters = true};
  }

  void answer(const LookupBatch& batch, const Request& request) const override {
    const IntervalQuery query(batch);
    visit_class(request.value_class(), [&]<class Class>() {
      parallel_for(batch.size(), chunk_lookups, [&](std::size_t first, std::size_t count) {
        run_chunk<Class>(batch, query, request, first, count);
      });
    });
  }

  [[nodiscard]] IntervalPoints interval_points() const override { return points_; }
  [[nodiscard]] EncodedColumn column() const override { return copy_of(column_); }

  [[nodiscard]] MemoryUsage memory_usage() const override {
    MemoryUsage bytes;
    bytes.parts = {{"intervals: primitive buffers", intervals_.buffer_bytes()},
                   {"intervals: acceleration structure", intervals_.structure_bytes()},
                   {"intervals: keys", column_.bytes()},
                   {"intervals: row directory", directory_.bytes()}};
    std::size_t peaks = intervals_.peak_structure_bytes() - intervals_.structure_bytes();
    const auto add = [&](const char* what, const MemoryUsage& points) {
      for (const auto& [name, size] : points.parts)
        bytes.parts.emplace_back(fmt::format("{}: {}", what, name), size);
      peaks += points.build_peak - points.resident;
    };
    add("starts", points_.starts->memory_usage());
    add("ends", points_.ends->memory_usage());
    for (const auto& [name, size] : bytes.parts) bytes.resident += size;
    bytes.build_peak = bytes.resident + peaks;
    return bytes;
  }

  [[nodiscard]] std::string describe() const override {
    return fmt::format(
        "tracer: {}, rtcOccluded1 with a test per hit\n"
        "scenes: {} intervals as {} boxes, their starts in {} rows, and their ends\n"
        "rays: perpendicular for intervals that contain a key, along rows for starts in a range, "
        "rtcIntersect1 for the starts and ends closest to a key\n",
        embree_version(), column_.size(), intervals_.boxes(), directory_.size());
  }

 private:
  // A query as encoded keys: the ends that a match may have.
  struct Wanted {
    Interval starts;
    Interval ends;
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
  void run_chunk(const LookupBatch& batch, const IntervalQuery& query, const Request& request,
                 std::size_t first, std::size_t count) const {
    Wanted wanted[chunk_lookups];
    encode(query, first, count, wanted);
    const Wanted* now = wanted;  // of the current lookup
    const auto accepts = [&](std::uint32_t interval) {
      return now->starts.contains(column_.keys[interval]) &&
             now->ends.contains(column_.ends[interval]);
    };
    HitReceiver<Class, decltype(accepts)> receiver(batch, request, column_, first, accepts);
    for (std::size_t i = 0; i < count; ++i) {
      now = wanted + i;
      receiver.answer(first + i, [&] {
        if (!now->starts.empty())
          trace(query.starts_before(), *now, receiver.query(), receiver.done());
      });
    }
    receiver.finish();
  }

  void trace(bool starts_before, const Wanted& wanted, EmbreeQuery& rays, const bool& done) const {
    if (!starts_before) return starts_.trace_range(directory_, wanted.starts, rays, done);
    // All matches contain this key, or start behind it.
    const std::uint64_t key = std::min(wanted.starts.upper, wanted.ends.lower);
    intervals_.trace(key, rays);
    if (key < wanted.starts.upper && !done)
      starts_.trace_range(directory_, {key + 1, wanted.starts.upper}, rays, done);
  }

  EncodedColumn column_;
  IntervalScene intervals_;
  IntervalPoints points_;
  const EmbreeScene& starts_;  // in points_.starts
  RowDirectory directory_;
};

}  // namespace

std::unique_ptr<Searcher> make_interval_tracer(const EmbreeOptions& options, EncodedColumn column,
                                               IntervalPoints points, const EmbreeScene& starts) {
  return std::make_unique<IntervalTracer>(options, std::move(column), std::move(points), starts);
}

}  // namespace rtindex
