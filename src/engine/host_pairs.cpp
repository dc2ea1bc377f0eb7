#include <algorithm>
#include <vector>

#include "answers/pair_sink.hpp"
#include "base/parallel.hpp"
#include "engine/batch_runner.hpp"

namespace rtindex {

namespace {

// The pairs of a searcher that returns rows only, chunk by chunk: those of a chunk stay in the
// cache.
void append_rows_as_pairs(const Segment& segment, const BatchQuery& query, const Request& request) {
  constexpr std::size_t grain = 16 * chunk_lookups;
  parallel_for(query.size(), grain, [&](std::size_t begin, std::size_t size) {
    std::uint64_t counts[chunk_lookups];
    std::vector<std::vector<std::uint32_t>> rows(1);
    Request of_chunk;
    of_chunk.answers = Answer::rows;
    of_chunk.deleted = request.deleted;
    of_chunk.row_counts = counts;
    of_chunk.chunk_rows = &rows;
    PairBuffer pairs(*request.pairs);
    for (std::size_t first = begin; first < begin + size; first += chunk_lookups) {
      const std::size_t count = std::min(chunk_lookups, begin + size - first);
      rows.front().clear();
      segment.searcher->answer(query.batch(*segment.codec, first, count), of_chunk);
      const std::uint32_t* row = rows.front().data();
      for (std::size_t i = 0; i < count; ++i) {
        for (std::uint64_t n = 0; n < counts[i]; ++n) pairs.add(first + i, *row++);
        if (counts[i] != 0 && request.outputs.matched != nullptr)
          set_matched(request.outputs.matched, first + i);
      }
    }
    pairs.flush();
  });
}

}  // namespace

void append_pairs(const BatchSources& sources, const Request& request) {
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const Segment& segment = sources.segment(i);
    Request own = request;
    own.deleted = bits_of(segment.deleted);
    if (segment.searcher->capabilities().pairs)
      segment.searcher->answer(sources.batch(i), own);
    else
      append_rows_as_pairs(segment, sources.query(i), own);
  }
}

}  // namespace rtindex
