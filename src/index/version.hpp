#pragma once

#include <cstddef>
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
  [[nodiscard]] std::size_t live() const {
    return states.rows - count_of(states.erased) - count_of(states.nulls);
  }
  // Keys in segments after the first.
  [[nodiscard]] std::size_t delta_keys() const {
    std::size_t keys = 0;
    for (std::size_t i = 1; i < segments.size(); ++i) keys += segments[i].keys();
    return keys;
  }
};

// Makes versions: each function adds one change to a version that is not published yet, and merges
// segments once they hold enough keys. The caller has checked all arguments but the rows.
class VersionMaker {
 public:
  // `max_delta`: keys outside the first segment before all segments are merged.
  VersionMaker(const Engine& engine, std::size_t max_delta)
      : engine_(engine), max_delta_(max_delta) {}

  // Adds new rows.
  void insert(Version& version, const NewRows& rows) const;
  // Sets new keys or included values of existing rows.
  void change(Version& version, const NewRows& rows) const;
  void erase(Version& version, const ColumnView& rows, Stream stream) const;
  // Returns the number of rows that had one of the keys.
  [[nodiscard]] std::size_t erase_keys(Version& version, const ColumnView& keys,
                                       Stream stream) const;
  void merge_all(Version& version) const { merge_from(version, 0); }

 private:
  // Adds a segment and merges all from the `first` on.
  void add(Version& version, Segment segment, std::size_t first) const;
  // Whether one searcher can hold the keys of all segments.
  [[nodiscard]] bool fit_together(const Version& version) const;
  // Marks rows deleted in every segment.
  static void mark_deleted(Version& version, const RowBitmapPtr& rows);
  // The first of the segments that are merged when so many keys are added to a version: only some
  // of the newest ones, all of them (0), or none (the number of segments).
  [[nodiscard]] std::size_t first_to_merge(const Version& version, std::size_t added) const;
  void merge_from(Version& version, std::size_t first) const;

  const Engine& engine_;
  std::size_t max_delta_;
};

}  // namespace rtindex
