#include "kinds/embree/embree_searchers.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "answers/request.hpp"
#include "base/error.hpp"
#include "base/parallel.hpp"
#include "kinds/embree/edge_finder.hpp"
#include "kinds/embree/hit_receiver.hpp"
#include "kinds/embree/scene.hpp"
#include "kinds/scene/row_directory.hpp"
#include "kinds/scene/rx_options.hpp"

namespace rtindex {

namespace {

constexpr std::size_t update_grain = std::size_t{1} << 15;

// Up to this many rows in the order of keys are found key by key; of more, the whole range is
// searched and sorted.
constexpr std::uint32_t max_rows_by_key = 64;

class EmbreeTracer final : public Searcher {
 public:
  EmbreeTracer(const RxOptions& options, EncodedColumn column, int threads)
      : options_(options),
        column_(std::move(column)),
        scene_(options, column_, threads),
        directory_(make_directory()) {
    size_ = column_.size();
    capabilities_ = {.key_order = true, .counters = true};
    if (options.update == Update::refit) capabilities_.max_refit_key = max_refit_key();
  }

  void answer(const LookupBatch& batch, const Request& request) const override {
    visit_class(request.value_class(), [&]<class Class>() {
      parallel_for(batch.size(), chunk_lookups, [&](std::size_t first, std::size_t count) {
        run_chunk<Class>(batch, request, first, count);
      });
    });
  }

  void find_edges(const LookupBatch& batch, Edge edge, const RowBits& deleted, std::uint32_t* rows,
                  std::uint64_t* keys, Counters* counters) const override {
    require_answerable(batch);
    parallel_for(batch.size(), chunk_lookups, [&](std::size_t first, std::size_t count) {
      Interval intervals[chunk_lookups];
      std::uint8_t checks[chunk_lookups] = {};
      batch.encode(first, count, intervals, checks);
      Counters work;
      EdgeFinder finder({options_, column_, scene_, directory_}, batch, edge, deleted,
                        counters != nullptr ? &work : nullptr);
      for (std::size_t i = 0; i < count; ++i) {
        EdgeRow found;
        if (!intervals[i].empty()) found = finder.find(first + i, intervals[i], checks[i]);
        rows[first + i] = found.row;
        keys[first + i] = found.key;
      }
      if (counters != nullptr) add_work(*counters, work);
    });
  }

  void require_answerable(const LookupBatch& batch) const override {
    require_few_row_rays(options_, column_.span, batch);
  }

  void refit(const Changes& changes, std::uint64_t span) override {
    std::vector<std::uint32_t> primitives(changes.rows, changes.rows + changes.size);
    if (column_.size() != column_.row_count) {
      for (std::uint32_t& row : primitives) {
        const auto* found = std::lower_bound(column_.rows.begin(), column_.rows.end(), row);
        row = static_cast<std::uint32_t>(found - column_.rows.begin());
      }
    }
    std::vector<std::uint64_t> old_keys(primitives.size());
    for (std::size_t i = 0; i < primitives.size(); ++i) old_keys[i] = column_.keys[primitives[i]];
    const std::uint64_t old_span = std::exchange(column_.span, span);
    try {
      parallel_for(primitives.size(), update_grain, [&](std::size_t first, std::size_t count) {
        for (std::size_t i = first; i < first + count; ++i)
          column_.keys.set(primitives[i], changes.keys[i]);
      });
      RowDirectory directory = make_directory();
      scene_.refit(primitives);
      directory_ = std::move(directory);
    } catch (...) {
      for (std::size_t i = 0; i < primitives.size(); ++i)
        column_.keys.set(primitives[i], old_keys[i]);
      column_.span = old_span;
      scene_.undo_refit(primitives);
      throw;
    }
  }

  [[nodiscard]] EncodedColumn column() const override { return copy_of(column_); }
  [[nodiscard]] const EmbreeScene& scene() const { return scene_; }

  [[nodiscard]] MemoryUsage memory_usage() const override {
    MemoryUsage bytes;
    bytes.parts = {{"primitive buffers", scene_.buffer_bytes()},
                   {"acceleration structure", scene_.structure_bytes()},
                   {"keys", column_.bytes()},
                   {"row directory", directory_.bytes()}};
    for (const auto& [name, size] : bytes.parts) bytes.resident += size;
    bytes.build_peak = bytes.resident - scene_.structure_bytes() + scene_.peak_structure_bytes();
    return bytes;
  }

  [[nodiscard]] std::string describe() const override {
    std::string text = fmt::format(
        "tracer: {}, rtcOccluded1 with a filter per hit, rtcIntersect1 for neighbours\n",
        embree_version());
    text += fmt::format("scene: {} {}s, {} keys in {} rows\n", column_.size(),
                        name_of(options_.primitive), column_.size(), occupied_rows());
    text += fmt::format("rays: {} for points, from {} for ranges, row_rays={}\n",
                        name_of(options_.point), name_of(options_.range),
                        options_.row_rays == RowRays::all ? "all" : "occupied");
    text +=
        fmt::format("compaction: {}\n", options_.update == Update::refit
                                            ? "off (update=refit needs an uncompacted structure)"
                                        : options_.compact ? "on (RTC_SCENE_FLAG_COMPACT)"
                                                           : "off");
    if (options_.update == Update::refit)
      text += "updates: refit in place, where rows keep their keys and these stay in range\n";
    return text;
  }

 private:
  // Keys keep their width and stay exact.
  [[nodiscard]] std::uint64_t max_refit_key() const {
    const std::uint64_t exact = max_exact_span(options_, embree_coordinate_limit);
    return column_.keys.wide()
               ? exact
               : std::min<std::uint64_t>(exact, std::numeric_limits<std::uint32_t>::max());
  }

  template <class Class>
  void run_chunk(const LookupBatch& batch, const Request& request, std::size_t first,
                 std::size_t count) const {
    Interval intervals[chunk_lookups];
    std::uint8_t checks[chunk_lookups] = {};
    batch.encode(first, count, intervals, checks);
    std::size_t now = 0;  // the current lookup of the chunk
    const auto accepts = [&](std::uint32_t primitive) {
      return checks[now] == check_none ||
             batch.accepts(first + now, intervals[now], checks[now], column_.row(primitive),
                           column_.keys[primitive]);
    };
    HitReceiver<Class, decltype(accepts)> receiver(batch, request, column_, first, accepts);
    EmbreeQuery& query = receiver.query();
    std::optional<EdgeFinder> finder;
    if (receiver.is_ordered() && request.limit != 0 && request.limit <= max_rows_by_key &&
        request.answers == AnswerSet(Answer::rows))
      finder.emplace(EdgeFinder::Sources{options_, column_, scene_, directory_}, batch,
                     start_of(request.order), request.deleted, query.counters);
    for (; now < count; ++now)
      receiver.answer(first + now, [&] {
        if (intervals[now].empty()) return;
        if (batch.kind() == QueryKind::equal)
          trace_point(query, intervals[now].lower);
        else if (finder)
          trace_by_key(first + now, intervals[now], checks[now], *finder, receiver, request);
        else
          scene_.trace_range(directory_, intervals[now], query, receiver.done());
      });
    receiver.finish();
  }

  [[nodiscard]] static Edge start_of(RowOrder order) {
    return order == RowOrder::descending ? Edge::last : Edge::first;
  }

  // Searches the keys of a range one after the other, in the requested order, until there are
  // enough rows.
  template <class Receiver>
  void trace_by_key(std::size_t lookup, Interval left, std::uint8_t checks, EdgeFinder& finder,
                    Receiver& receiver, const Request& request) const {
    const Edge start = start_of(request.order);
    while (!left.empty() && receiver.found() < request.limit && !receiver.done()) {
      const EdgeRow found = finder.find(lookup, left, checks);
      if (found.row == miss_row) return;
      trace_point(receiver.query(), found.key);
      left = keys_behind(left, start, found.key);
      checks &= start == Edge::first ? check_upper
                                     : check_lower;  // the check of the other end no longer applies
    }
  }

  void trace_point(EmbreeQuery& query, std::uint64_t key) const {
    query.ray_keys = {key, key};
    scene_.trace(point_ray(options_.coordinates, options_.point, key), query);
  }

  [[nodiscard]] RowDirectory make_directory() const {
    if (options_.row_rays == RowRays::all || options_.coordinates.row_of(column_.span) < few_rows)
      return {};
    return {options_.coordinates, column_};
  }

  [[nodiscard]] std::string occupied_rows() const {
    const std::uint64_t rows = options_.coordinates.row_of(column_.span) + 1;
    if (directory_.size() != 0) return fmt::format("{} (of {} spanned)", directory_.size(), rows);
    return fmt::format("{}", rows);
  }

  RxOptions options_;
  EncodedColumn column_;
  EmbreeScene scene_;
  RowDirectory directory_;
};

}  // namespace

HostSearchers embree_searchers(const EmbreeOptions& options) {
  HostSearchers searchers;
  searchers.build = [options](EncodedColumn column, const KeyCodec&, const KeyText& key_text,
                              std::span<const ColumnView>) {
    require_exact(options.rx, column, key_text, embree_coordinate_limit);
    return std::make_unique<EmbreeTracer>(options.rx, std::move(column), options.threads);
  };
  searchers.build_intervals = [options](EncodedColumn column, const KeyCodec&,
                                        const KeyText& key_text, std::span<const ColumnView>) {
    require_exact(options.rx, column, key_text, embree_coordinate_limit);
    EncodedColumn starts = copy_of(column);
    EncodedColumn ends = copy_of(column);
    starts.ends = {};
    ends.keys = std::exchange(ends.ends, {});
    const auto tracer = [&](EncodedColumn points) {
      return std::make_shared<EmbreeTracer>(options.rx, std::move(points), options.threads);
    };
    const auto of_starts = tracer(std::move(starts));
    return make_interval_tracer(options, std::move(column), {of_starts, tracer(std::move(ends))},
                                of_starts->scene());
  };
  searchers.build_points = [options](EncodedColumn column, const PointCodec& codec,
                                     std::span<const ColumnView>) {
    return make_point_tracer(options, std::move(column), codec);
  };
  return searchers;
}

}  // namespace rtindex
