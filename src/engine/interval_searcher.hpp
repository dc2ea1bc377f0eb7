#pragma once

#include <functional>
#include <memory>
#include <span>

#include "engine/host_segments.hpp"
#include "engine/searcher.hpp"
#include "keys/interval_codec.hpp"

namespace rtindex {

// A searcher of intervals in host memory, over two searchers of a kind: of the starts and of the
// ends. The number of intervals that overlap [a, b] is that of starts up to b less that of ends
// before a; their rows are found among the starts by a tree of ends (order/extent_tree.hpp).
[[nodiscard]] std::unique_ptr<Searcher> make_interval_searcher(const HostSearchers& searchers,
                                                               EncodedColumn column,
                                                               const IntervalCodec& codec,
                                                               const KeyText& key_text,
                                                               std::span<const ColumnView> include);
// Opens one that was saved.
[[nodiscard]] std::unique_ptr<Searcher> load_interval_searcher(const HostSearchers& searchers,
                                                               const FileReader& file,
                                                               const IntervalCodec& codec,
                                                               std::size_t rows);

}  // namespace rtindex
