#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <rtindex/spec.hpp>

#include "base/spec_options.hpp"
#include "engine/kind.hpp"
#include "keys/coordinates.hpp"
#include "keys/encoded_column.hpp"
#include "keys/lookup_batch.hpp"
#include "kinds/scene/primitives.hpp"
#include "kinds/scene/rays.hpp"

namespace rtindex {

enum class Update : std::uint8_t { rebuild, refit };
enum class RowRays : std::uint8_t { occupied, all };

// The paper's choices (section 3), read from a spec. Combinations that cannot be exact for any
// column are rejected here; require_exact() rejects those that depend on the keys.
struct RxOptions {
  Coordinates coordinates;
  Primitive primitive = Primitive::triangle;
  RayKind point = RayKind::perpendicular;
  RayKind range = RayKind::offset;
  bool compact = false;
  Update update = Update::rebuild;
  RowRays row_rays = RowRays::occupied;
  // Keys of a bucket in coarse-granular RX (scene/buckets.hpp); 0: every key has its primitive.
  std::uint32_t bucket = 0;
  // Low bits of keys that the scene of buckets drops; none: chosen from the keys.
  std::optional<int> drop;

  // Whether rays find buckets of sorted keys in place of single keys.
  [[nodiscard]] bool is_bucketed() const { return bucket != 0; }

  [[nodiscard]] static RxOptions from(const Spec& spec);
  [[nodiscard]] static std::vector<SpecOption> declared();
  // The spec with the values of all options: these and those of the kind.
  [[nodiscard]] static Spec complete(const Spec& spec, const Kind& kind);

 private:
  // Throws if rays with these options could be inexact for some column.
  void require_exact_rays() const;
};

// The most rays that one lookup may cast (row_rays=all).
inline constexpr std::uint64_t max_row_rays = std::uint64_t{1} << 24;

// Whether keys up to `span` are exact with these options. `coordinate_limit` is the tracer's
// largest coordinate.
[[nodiscard]] bool is_exact(const RxOptions& options, std::uint64_t span, double coordinate_limit);
// The largest such span.
[[nodiscard]] std::uint64_t max_exact_span(const RxOptions& options, double coordinate_limit);

// A line of describe() on the bits that a scene of buckets drops.
[[nodiscard]] std::string dropped_text(int bits);

// Throws, naming the row, the key and the setting that would work, where the mode or the primitive
// cannot hold a key of the column exactly.
void require_exact(const RxOptions& options, const EncodedColumn& column, const KeyText& key_text,
                   double coordinate_limit);

// Throws, naming the lookup, where row_rays=all would cast more than max_row_rays rays for it.
void require_few_row_rays(const RxOptions& options, std::uint64_t span, const LookupBatch& batch);

[[nodiscard]] std::string_view name_of(KeyMode mode);
[[nodiscard]] std::string_view name_of(Primitive primitive);
[[nodiscard]] std::string_view name_of(RayKind kind);

}  // namespace rtindex
