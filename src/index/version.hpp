#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/engine.hpp"

namespace rtindex {

// An index at one moment: a reader holds it while it answers, a change replaces it. It is
// immutable, except with update=refit.
struct Version {
  std::vector<Segment> segments;  // oldest and largest first; at least one
  RowStates states;
  bool is_changed = false;  // since the index was built or loaded

  [[nodiscard]] const Segment& main() const { return segments.front(); }
  [[nodiscard]] std::size_t rows() const { return states.rows; }
  [[nodiscard]] std::size_t valid() const {
    return states.rows - count_of(states.erased) - count_of(states.nulls);
  }
  // Keys in segments after the first.
  [[nodiscard]] std::size_t delta_keys() const {
    std::size_t keys = 0;
    for (std::size_t i = 1; i < segments.size(); ++i) keys += segments[i].keys();
    return keys;
  }
};

// How a change merges segments.
struct MergeRules {
  std::size_t max_delta = 0;  // keys outside the first segment before all segments are merged
  // Only small merges are part of the change; others are left to a thread.
  bool in_background = false;
  std::size_t busy = 0;  // so many of the first segments must stay, because some are being merged
};

// Makes versions: each function adds one change to a version that is not published yet, and merges
// segments once they hold enough keys. The caller has checked all arguments but the rows.
class VersionMaker {
 public:
  VersionMaker(const Engine& engine, const MergeRules& rules) : engine_(engine), rules_(rules) {}

  // Adds new rows.
  void insert(Version& version, const NewRows& rows);
  // Sets new keys or included values of existing rows. `before`: the segments without the change.
  void change(Version& version, std::span<const Segment> before, const NewRows& rows);
  void erase(Version& version, const ColumnView& rows, Stream stream);
  // Returns the number of rows that had one of the keys.
  [[nodiscard]] std::size_t erase_keys(Version& version, const ColumnView& keys, Stream stream);
  void merge_all(Version& version) { merge_from(version, 0); }

  // The merge that the change leaves to a thread: of all segments from the result on; none: no
  // merge.
  [[nodiscard]] std::optional<std::size_t> due() const { return due_; }
  // Whether the change had to merge segments that a thread was merging.
  [[nodiscard]] bool has_merged_busy() const { return has_merged_busy_; }
  // Whether so much is left to merge that changes must wait for it.
  [[nodiscard]] static bool lags(const Version& version, std::size_t max_delta);

  // Replaces the segments from `first` on that were merged by the result. `before`: these segments
  // when the merge began.
  static void replace(Version& version, std::size_t first, std::span<const Segment> before,
                      Segment merged);

 private:
  // Adds a segment and merges all from the `first` on.
  void add(Version& version, Segment segment, std::size_t first);
  // Whether one searcher can hold the keys of all segments.
  [[nodiscard]] bool fit_together(const Version& version) const;
  // Why a change lists rows.
  enum class Listed : std::uint8_t { superseded, erased };
  // Checks the rows that a change lists and marks them deleted in every segment that may have them;
  // none of them is null any more.
  void mark_listed(Version& version, const ColumnView& rows, Listed listed, Stream stream);
  // Whether the main segment has the current keys of few rows, so that no other segment has any;
  // false where that is not cheap to find out.
  [[nodiscard]] static bool are_in_main(const Version& version, const ColumnView& rows);
  // Marks rows deleted in every segment.
  static void mark_deleted(Version& version, const RowBitmapPtr& rows);
  // Whether so few keys stay in a segment of their own, beside those of a few other changes.
  [[nodiscard]] bool stay_alone(const Version& version, std::size_t added) const;
  // The first of the segments to merge when so many keys are added to a version: only some of the
  // newest ones, all of them (0), or none (the number of segments).
  [[nodiscard]] std::size_t first_to_merge(const Version& version, std::size_t added) const;
  // The first of those that the change itself merges; due() has the others.
  [[nodiscard]] std::size_t first_to_merge_now(const Version& version, std::size_t added);
  void merge_from(Version& version, std::size_t first);

  const Engine& engine_;
  MergeRules rules_;
  std::optional<std::size_t> due_;
  bool has_merged_busy_ = false;
};

}  // namespace rtindex
