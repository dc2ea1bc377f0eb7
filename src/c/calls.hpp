#pragma once

#include <cstdint>

#include <rtindex/rtindex.h>
#include <rtindex/index.hpp>

#include "c/columns.hpp"
#include "c/handle.hpp"

namespace rtindex::c {

[[nodiscard]] BitmapView bitmap_from(const rtindex_bitmap* bitmap, const char* name);

// The query of a call, with the columns that it views.
class CalledQuery {
 public:
  CalledQuery(const Index& index, const rtindex_query* query, Stream stream);
  [[nodiscard]] const Query& get() const { return query_; }
  [[nodiscard]] Columns& columns() { return columns_; }

 private:
  void add_conditions(const rtindex_query& input);

  Columns columns_;
  Query query_;
};

// A call of rtindex_answer() and its relatives.
class AnswerCall {
 public:
  AnswerCall(const rtindex_index& handle, const rtindex_query* query,
             const rtindex_answer_options* options, const rtindex_diagnostics* diagnostics);

  [[nodiscard]] Answers answer(const Index& index);
  void answer_into(const Index& index, const Outputs& outputs);

  [[nodiscard]] const Query& query() const { return query_.get(); }
  [[nodiscard]] const AnswerOptions& options() const { return options_; }

 private:
  void store_counters() const;

  rtindex_answer_options input_;
  CalledQuery query_;
  AnswerOptions options_;
  rtindex_counters* counters_for_caller_ = nullptr;
  Counters counters_;
  Diagnostics diagnostics_;
};

// A call of rtindex_join() and its relatives.
class JoinCall {
 public:
  JoinCall(const rtindex_index& handle, const rtindex_query* query,
           const rtindex_join_options* options);

  [[nodiscard]] const Query& query() const { return query_.get(); }
  [[nodiscard]] JoinKind how() const { return how_; }
  [[nodiscard]] bool has_rows() const { return how_ == JoinKind::inner || how_ == JoinKind::left; }
  [[nodiscard]] const JoinOptions& options() const { return options_; }

 private:
  rtindex_join_options input_;
  CalledQuery query_;
  JoinKind how_;
  JoinOptions options_;
};

}  // namespace rtindex::c
