#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>

#include "keys/encoded_column.hpp"
#include "keys/lookup_batch.hpp"
#include "kinds/embree/scene.hpp"
#include "kinds/scene/edge_rays.hpp"
#include "kinds/scene/row_directory.hpp"
#include "rows/row_bits.hpp"

namespace rtindex {

// Finds the first or last valid row of each range by rays, for one thread.
class EdgeFinder {
 public:
  // Inputs; all of them outlive the finder.
  struct Sources {
    const RxOptions& options;
    const EncodedColumn& column;
    const EmbreeScene& scene;
    const RowDirectory& directory;
  };

  // `counters`: of this thread; null: nothing is counted.
  EdgeFinder(const Sources& sources, const LookupBatch& batch, Edge edge, const RowBits& deleted,
             Counters* counters);
  EdgeFinder(const EdgeFinder&) = delete;
  EdgeFinder& operator=(const EdgeFinder&) = delete;

  // The edge of one lookup, as LookupBatch::encode() returns it; not empty.
  [[nodiscard]] EdgeRow find(std::size_t lookup, Interval range, std::uint8_t checks);

  // The rays of find_edge().
  [[nodiscard]] bool closest(const Ray& ray, Interval keys, std::uint64_t& hit);
  void add_all_hits(const Ray& ray, Interval keys);

 private:
  [[nodiscard]] bool counts(std::uint32_t primitive) const;
  void add_hit(std::uint32_t primitive);

  // Callbacks for hits.
  static bool on_closest(void* self, std::uint32_t primitive);
  static bool on_any(void* self, std::uint32_t primitive);
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

  Sources from_;
  const LookupBatch& batch_;
  Edge edge_;
  RowBits deleted_;
  EmbreeQuery query_;
  std::size_t lookup_ = 0;
  Interval range_{};
  std::uint8_t checks_ = check_none;
  EdgeRow found_;
  std::exception_ptr error_;  // an exception must not pass through Embree
};

}  // namespace rtindex
