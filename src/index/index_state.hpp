#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <rtindex/index.hpp>

#include "base/call_control.hpp"
#include "base/parallel.hpp"
#include "engine/engine.hpp"
#include "file/stored.hpp"
#include "index/merge_thread.hpp"
#include "index/resolve.hpp"
#include "index/version.hpp"
#include "keys/lookup_batch.hpp"

namespace rtindex {

class IntervalCodec;
class PointCodec;

inline constexpr std::size_t max_rows = std::numeric_limits<std::uint32_t>::max();

// The implementation of Index: every call is checked here before a searcher runs.
struct Index::State {
  State();
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  Spec spec;  // complete
  const Kind* kind = nullptr;
  Engine engine;
  std::size_t max_delta = 0;  // keys outside the first segment before all are merged
  std::shared_ptr<ThreadLimit> threads;
  TimeUnit time_unit = TimeUnit::unspecified;
  std::vector<TimeUnit> part_time_units;  // of a composite column
  int scale = 0;                          // of decimals
  std::vector<int> part_scales;           // of a composite column
  std::vector<IncludedType> included;
  std::string file;    // the source of a loaded index; empty where it was built
  std::string loaded;  // how it was loaded, for describe()

  // The version that a call reads until it returns. With update=refit, `lock` excludes updates
  // meanwhile. A call holds one lock at a time; a change holds none while it waits for its turn.
  struct Reading {
    std::shared_lock<std::shared_mutex> lock;
    std::shared_ptr<const Version> version;
    [[nodiscard]] const Version* operator->() const { return version.get(); }
    [[nodiscard]] const Version& operator*() const { return *version; }
  };
  [[nodiscard]] Reading read() const;
  void publish(std::shared_ptr<const Version> next);

  // Replaces the version by a copy of it that make(maker, copy) has changed. Changes take turns.
  template <class Make>
  void change(Make&& make) {
    Turn turn(*this);
    turn.wait_for_merge(false);
    make_version(std::forward<Make>(make));
  }

  [[nodiscard]] static bool supports(const Version& now, Answer answer, QueryKind query_kind);
  // Throws unless the index supports these answers, with rows in the requested order.
  void require_supported(const Version& now, const AnswerOptions& options, AnswerSet answers,
                         QueryKind query_kind) const;
  void start_counting(const Version& now, const Diagnostics& diagnostics) const;

  // The included values as a value column, of which only the type is set, where the answers need
  // values and the caller passed none. Throws where there are no values, or the caller's do not
  // fit.
  [[nodiscard]] std::optional<ColumnView> included_values(const Version& now,
                                                          const AnswerOptions& options,
                                                          AnswerSet answers) const;
  // Whether a value of the answers may be null.
  [[nodiscard]] bool has_null_values(const Version& now, const AnswerOptions& options) const;
  // The number of the included column of this name. An empty name is that of an only column. Throws
  // where there is none, or where the name is missing.
  [[nodiscard]] std::size_t included_number(const std::string& name) const;
  // The names of the included columns, for messages.
  [[nodiscard]] std::string included_names() const;
  void require_include(const IncludedColumns& include, std::size_t rows) const;
  // A GPU reads host and device memory, a CPU host memory only.
  void require_reachable(MemorySpace space, const char* what) const;
  void require_reachable(const ColumnView& column, const char* what) const {
    require_reachable(column.memory_space(), what);
  }
  // Included values need keys in key order.
  void require_key_order() const;
  void require_comparable(const Version& now, const ColumnView& lookups) const;
  // Keys of changes and of neighbour queries must have all parts of the column.
  void require_whole_keys(const Version& now, const ColumnView& keys) const;
  void require_query(const Version& now, const Query& query) const;
  void require_filter(const Version& now, const BitmapView& filter) const;
  static void require_bitmap_bytes(const Version& now, const Query& query,
                                   const AnswerOptions& options);
  static void require_prefixes(const Version& now, const ColumnView& prefixes);
  // Throws where a query searches keys, intervals or points and the index holds others.
  static void require_same_shape(const Version& now, QueryKind kind);
  // Throws where conditions do not fit the columns of the points, or each other.
  void require_conditions(const Version& now, const Query& query) const;
  // Throws where new points are not of the types of the column.
  void require_points(const PointCodec& column, const ColumnView& given) const;
  // Throws where values cannot be compared with part `part` of the column.
  void require_part_unit(std::size_t part, const ColumnView& values) const;
  // A value of each leading column, and a point.
  static void require_whole_points(const Version& now, const ColumnView& points);
  static void require_interval_ends(const Version& now, const Query& query);
  // Throws where the closest intervals of keys cannot be found.
  void require_nearest_interval(const Version& now, const Query& query) const;
  // Throws where new intervals are not of the types of the column.
  void require_intervals(const IntervalCodec& column, const ColumnView& given) const;
  // A CPU does not write device memory.
  void require_writable(MemorySpace space) const;

  [[nodiscard]] Answers answer(const Query& query, const AnswerOptions& options,
                               const Diagnostics& diagnostics) const;
  void answer_into(const Query& query, const AnswerOptions& options, const Outputs& outputs,
                   const Diagnostics& diagnostics) const;
  // Writes pairs to device memory.
  // Into device memory.
  void join_into(const Query& query, const JoinRequest& join, Stream stream) const;
  // In any order, of an index on the CPU.
  void append_pairs(const Query& query, JoinKind how, PairSink& pairs) const;
  [[nodiscard]] std::vector<std::uint32_t> select(const ColumnView& ranks) const;
  [[nodiscard]] std::vector<std::uint32_t> null_rows() const;

  // Sets the spec, its engine and the options of every index.
  void set_spec(ResolvedSpec resolved, const std::shared_ptr<DeviceMemory>& memory);
  void build(const ColumnView& column, const BuildOptions& options);
  // The parts of a version, which must be held until they are written.
  [[nodiscard]] Stored stored(const Version& now) const;
  // The current version as one array, in the format of index files.
  [[nodiscard]] Array<std::byte> container() const;
  void load(const Stored& stored, const std::shared_ptr<DeviceMemory>& memory);

  [[nodiscard]] std::uint32_t insert(const ColumnView& keys, const IncludedColumns& values,
                                     Stream stream);
  void erase(const ColumnView& rows, Stream stream);
  [[nodiscard]] std::size_t erase_keys(const ColumnView& keys, Stream stream);
  void update(const ColumnView& rows, const ColumnView& new_keys, Stream stream);
  void set_included(const ColumnView& rows, const ColumnView& values, const std::string& name,
                    Stream stream);
  void merge();

  [[nodiscard]] std::unique_ptr<State> snapshot() const;
  [[nodiscard]] std::string describe() const;
  [[nodiscard]] MemoryUsage memory_usage() const;

  [[nodiscard]] std::map<std::string, std::string> metadata() const;
  void set_metadata(const std::string& name, std::string text);

 private:
  class ForkLocks;

  // Segments that are being merged, as they were when the merge began.
  struct RunningMerge {
    std::size_t first;  // the position of the first of them in the version
    std::vector<Segment> segments;
    std::size_t rows;  // of the index
  };

  // The turn of a change: others wait until it is destroyed. A thread that has it, as in a progress
  // callback, cannot have another.
  class Turn {
   public:
    explicit Turn(State& state);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    // Until the merge in the background is done, or only where it lags behind.
    void wait_for_merge(bool always);

   private:
    void take();
    void end();

    State& state_;
    std::unique_lock<std::mutex> lock_;
  };

  void reset_threads();
  // Below, the caller has its turn.
  template <class Make>
  void make_version(Make&& make) {
    auto next = std::make_shared<Version>(*current());
    const MergeRules rules = merge_rules();
    VersionMaker maker(engine, rules);
    threads->run([&] { make(maker, *next); });
    finish_progress();  // nothing stops the change from here on
    if (maker.has_merged_busy()) merging_ = nullptr;
    publish(std::move(next));
    if (!rules.in_background) set_merge_failure({});
    if (maker.due()) start_merge(*maker.due());
  }
  [[nodiscard]] MergeRules merge_rules() const;
  // Starts to merge all segments from the `first` on. A failure is reported by describe().
  void start_merge(std::size_t first);
  // On the merge thread: merges segments and publishes the result.
  void run_merge(std::shared_ptr<const RunningMerge> merge);
  // Why the last merge in the background failed; empty: it did not.
  [[nodiscard]] std::string merge_failure() const;
  void set_merge_failure(std::string failure);

  void set_included_column(Request& request, const AnswerOptions& options, bool is_included) const;
  // The segments of a version, of which only rows of the filter match.
  [[nodiscard]] std::vector<Segment> filtered(const Version& now, const BitmapView& filter,
                                              Stream stream) const;
  // Runs a checked query.
  void run(const Version& now, const Query& query, const Request& request) const;
  // The kind that segments search: a composite key of fewer parts than the column matches every key
  // that begins with it, which is a range.
  [[nodiscard]] static QueryKind searched_kind(const Version& now, const Query& query);
  [[nodiscard]] std::shared_ptr<const Version> current() const;
  // Refits the main segment in place; false if it cannot.
  [[nodiscard]] bool refit(const ColumnView& changed, const ColumnView& new_keys, Stream stream);
  void require_rows(const ColumnView& changed) const;
  // New values of an included column.
  void require_included(const ColumnView& values, std::size_t column, std::size_t count) const;
  // The columns of an insert in the order of the index.
  [[nodiscard]] std::vector<ColumnView> inserted_columns(const IncludedColumns& values,
                                                         std::size_t count) const;
  static void require_one_space(const ColumnView& a, const char* a_name, const ColumnView& b,
                                const char* b_name);
  void load_segments(const FileReader& reader, Version& opened);

  mutable std::mutex metadata_mutex_;
  std::map<std::string, std::string> metadata_;
  std::shared_ptr<const Version> version_;
  mutable std::mutex version_mutex_;  // held only to copy or swap the pointer
  std::mutex change_mutex_;
  std::atomic<std::thread::id> changer_;         // the thread that has its turn
  std::shared_ptr<const RunningMerge> merging_;  // guarded by change_mutex_; null: none
  mutable std::mutex merge_failure_mutex_;
  std::string merge_failure_;
  mutable std::shared_mutex refit_mutex_;
  // Lookups pass it on their way to refit_mutex_ and an update holds it while it waits, because
  // std::shared_mutex may let lookups overtake an update for ever.
  mutable std::mutex turnstile_;
  MergeThread merge_thread_;  // the last: it uses all other members
};

}  // namespace rtindex
