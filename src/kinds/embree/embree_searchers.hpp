#pragma once

#include <memory>

#include "engine/host_segments.hpp"
#include "kinds/embree/embree_options.hpp"

namespace rtindex {

// A primitive for every key.
[[nodiscard]] HostSearchers embree_searchers(const EmbreeOptions& options);

// Boxes for the intervals of a column, and a primitive for every start.
[[nodiscard]] std::unique_ptr<Searcher> make_interval_tracer(const EmbreeOptions& options,
                                                             EncodedColumn column);

// A primitive for every point of two or three columns.
[[nodiscard]] std::unique_ptr<Searcher> make_point_tracer(const EmbreeOptions& options,
                                                          EncodedColumn column,
                                                          const PointCodec& codec);

// Coarse-granular RX: rays find a bucket of sorted keys. Scenes are not saved: loading builds them
// again over the sorted keys.
[[nodiscard]] HostSearchers bucketed_searchers(const EmbreeOptions& options);

}  // namespace rtindex
