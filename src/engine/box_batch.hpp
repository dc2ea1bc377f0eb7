#pragma once

#include <cstddef>
#include <vector>

#include "answers/request.hpp"
#include "base/checked_cast.hpp"
#include "keys/lookup_batch.hpp"
#include "keys/point_codec.hpp"
#include "order/box_tree.hpp"

namespace rtindex {

// A batch of box queries as boxes of encoded keys. With isin a query is several boxes, which have
// no point in common.
class BoxBatch {
 public:
  explicit BoxBatch(const LookupBatch& batch)
      : batch_(batch), codec_(checked_cast<const PointCodec&>(batch.codec())) {
    for (std::size_t c = 0; c < batch.conditions().size(); ++c)
      if (const Condition& one = batch.conditions()[c]; one.kind == ConditionKind::isin)
        sets_.push_back({static_cast<std::uint32_t>(c), codec_.encode_values(c, one.lower)});
  }

  // Queries [first, first + count), at most a chunk, without their conditions isin.
  void encode(std::size_t first, std::size_t count, Box* boxes) const {
    Interval intervals[chunk_lookups];
    for (std::size_t c = 0; c < batch_.conditions().size(); ++c) {
      const Condition& condition = batch_.conditions()[c];
      if (condition.kind == ConditionKind::none || condition.kind == ConditionKind::isin) continue;
      codec_.encode_condition(c, condition, batch_.offset() + first, count, intervals);
      for (std::size_t i = 0; i < count; ++i)
        add(boxes[i], static_cast<std::uint32_t>(c), intervals[i]);
    }
  }

  // Calls visit(box) for each box of a query that may have rows.
  template <class Visit>
  void visit_boxes(const Box& query, const Visit& visit, std::size_t set = 0) const {
    if (query.is_empty) return;
    if (set == sets_.size()) return visit(query);
    for (const Interval& range : sets_[set].ranges) {
      Box box = query;
      add(box, sets_[set].column, range);
      visit_boxes(box, visit, set + 1);
    }
  }

 private:
  struct ValueSet {
    std::uint32_t column;
    std::vector<Interval> ranges;
  };

  void add(Box& box, std::uint32_t column, const Interval& range) const {
    if (range.empty())
      box.is_empty = true;
    else if (range.lower != 0 || range.upper < codec_.largest(column))
      box.add({range.lower, range.upper, column});
  }

  const LookupBatch& batch_;
  const PointCodec& codec_;
  std::vector<ValueSet> sets_;
};

}  // namespace rtindex
