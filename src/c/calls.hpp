#pragma once

#include <cstdint>

#include <rtindex/rtindex.h>
#include <rtindex/index.hpp>

#include "c/columns.hpp"
#include "c/handle.hpp"

namespace rtindex::c {

enum class BatchKind : std::uint8_t { point, range, nearest, prefix };

// The lookups of a call: their kind and their keys, or the ends of their ranges.
struct Batch {
  Batch(const Index& index, std::int32_t kind, const rtindex_column* lower,
        const rtindex_column* upper, Stream stream);

  // The memory space of the lookups.
  [[nodiscard]] MemorySpace space() const;
  [[nodiscard]] std::size_t size() const;

  BatchKind kind;
  Columns columns;
  ColumnView lower_keys, upper_keys;  // of ranges both; else the first
};

// A call of rtindex_lookup() and its relatives.
class LookupCall {
 public:
  LookupCall(const rtindex_index& handle, std::int32_t kind, const rtindex_column* lower,
             const rtindex_column* upper, const rtindex_lookup_options* options);

  [[nodiscard]] Answers answer();
  void answer_into(const Outputs& outputs);
  // Asks another index, which must outlive the call: a snapshot of the first.
  void ask(const Index& index) { index_ = &index; }

  [[nodiscard]] const Batch& batch() const { return batch_; }
  [[nodiscard]] const LookupOptions& options() const { return options_; }

 private:
  [[nodiscard]] Answers found() const;
  void store_counters() const;

  const Index* index_;
  rtindex_lookup_options given_;
  Batch batch_;
  LookupOptions options_;
  NearestOptions nearest_;
  Counters counters_;
};

// A call of rtindex_join() and its relatives.
class JoinCall {
 public:
  JoinCall(const rtindex_index& handle, std::int32_t kind, const rtindex_column* lower,
           const rtindex_column* upper, const rtindex_join_options* options);

  [[nodiscard]] JoinedRows join();
  // Asks another index, which must outlive the call: a snapshot of the first.
  void ask(const Index& index) { index_ = &index; }
  void join_into(const JoinOutputs& outputs);
  void join_in_parts(std::size_t most, const TakeJoined& take);

  [[nodiscard]] const Batch& batch() const { return batch_; }
  [[nodiscard]] bool has_rows() const { return how_ == JoinKind::inner || how_ == JoinKind::left; }
  [[nodiscard]] Stream stream() const { return {given_.stream}; }

 private:
  const Index* index_;
  rtindex_join_options given_;
  Batch batch_;
  JoinKind how_;
  Ends ends_;
  NearestOptions nearest_;
};

}  // namespace rtindex::c
