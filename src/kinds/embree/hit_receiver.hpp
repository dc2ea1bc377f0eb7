#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <vector>

#include "answers/accumulator.hpp"
#include "answers/request.hpp"
#include "keys/encoded_column.hpp"
#include "keys/lookup_batch.hpp"
#include "kinds/embree/query.hpp"
#include "kinds/scene/edge_order.hpp"

namespace rtindex {

// Folds the hits of one lookup of a chunk after the other into its answers. `Accepts`: whether the
// element of the column that a ray hit matches the lookup.
template <class Class, class Accepts>
class HitReceiver {
 public:
  HitReceiver(const LookupBatch& batch, const Request& request, const EncodedColumn& column,
              std::size_t first, const Accepts& accepts)
      : batch_(batch),
        request_(request),
        column_(column),
        accepts_(accepts),
        chunk_(first / chunk_lookups),
        accumulator_(request, chunk_),
        is_ordered_(request.order != RowOrder::any && request.chunk_rows != nullptr) {
    init_context(query_.base);
    query_.receiver = this;
    query_.on_hit = on_hit;
    if (request.counters != nullptr) query_.counters = &work_;
  }
  HitReceiver(const HitReceiver&) = delete;
  HitReceiver& operator=(const HitReceiver&) = delete;

  // Answers a lookup by the hits of trace(), which may stop once done() is set.
  template <class Trace>
  void answer(std::size_t lookup, const Trace& trace) {
    is_done_ = accumulator_.wants_no_hit();
    accumulator_.start(lookup);
    if (!is_done_) trace();
    if (error_) std::rethrow_exception(error_);
    if (is_ordered_) add_in_order();
    accumulator_.finish(lookup);
  }
  // After the last lookup.
  void finish() const {
    if (request_.counters != nullptr) add_work(*request_.counters, work_);
  }

  [[nodiscard]] EmbreeQuery& query() { return query_; }
  [[nodiscard]] const bool& done() const { return is_done_; }
  // Whether rows are requested in the order of keys, and how many were found so far.
  [[nodiscard]] bool is_ordered() const { return is_ordered_; }
  [[nodiscard]] std::size_t found() const { return unordered_.size(); }

 private:
  static bool on_hit(void* self, std::uint32_t element) {
    auto& receiver = *static_cast<HitReceiver*>(self);
    try {
      receiver.is_done_ = receiver.add(element);
    } catch (...) {
      receiver.error_ = std::current_exception();
      receiver.is_done_ = true;
    }
    return receiver.is_done_;
  }

  bool add(std::uint32_t element) {
    if (!accepts_(element)) return false;
    const std::uint32_t row = column_.row(element);
    if (!is_ordered_) return accumulator_.hit(row);
    if (!request_.deleted.has(row)) unordered_.push_back({row, column_.keys[element]});
    return false;
  }

  // Adds the hits of a lookup to its answers, in the order of keys, and empties the list.
  void add_in_order() {
    const Edge start = request_.order == RowOrder::descending ? Edge::last : Edge::first;
    std::sort(unordered_.begin(), unordered_.end(),
              [&](const EdgeRow& a, const EdgeRow& b) { return is_nearer(batch_, start, a, b); });
    for (const EdgeRow& hit : unordered_)
      if (accumulator_.hit(hit.row)) break;
    if (request_.chunk_keys != nullptr)
      for (std::size_t i = 0; i < std::min<std::size_t>(found(), request_.limit); ++i)
        (*request_.chunk_keys)[chunk_].push_back(unordered_[i].key);
    unordered_.clear();
  }

  const LookupBatch& batch_;
  const Request& request_;
  const EncodedColumn& column_;
  const Accepts& accepts_;
  std::size_t chunk_;
  Accumulator<Class> accumulator_;
  EmbreeQuery query_;
  Counters work_;
  bool is_ordered_;
  bool is_done_ = false;
  std::vector<EdgeRow> unordered_;  // hits, where rows are requested in the order of keys
  std::exception_ptr error_;        // an exception must not pass through Embree
};

}  // namespace rtindex
