#pragma once

#include <memory>

#include "engine/host_segments.hpp"
#include "kinds/embree/embree_options.hpp"
#include "kinds/embree/scene.hpp"

namespace rtindex {

// A primitive for every key.
[[nodiscard]] HostSearchers embree_searchers(const EmbreeOptions& options);

// Boxes for the intervals of a column. `points`: searchers of its starts and of its ends; `starts`:
// the scene of the former.
[[nodiscard]] std::unique_ptr<Searcher> make_interval_tracer(const EmbreeOptions& options,
                                                             EncodedColumn column,
                                                             IntervalPoints points,
                                                             const EmbreeScene& starts);

// A primitive for every point of two or three columns.
[[nodiscard]] std::unique_ptr<Searcher> make_point_tracer(const EmbreeOptions& options,
                                                          EncodedColumn column,
                                                          const PointCodec& codec);

// Coarse-granular RX: rays find a bucket of sorted keys. Scenes are not saved: loading builds them
// again over the sorted keys.
[[nodiscard]] HostSearchers bucketed_searchers(const EmbreeOptions& options);

}  // namespace rtindex
