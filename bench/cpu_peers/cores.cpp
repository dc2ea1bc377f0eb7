#include <fmt/format.h>

#include "cpu_peers/questions.hpp"
#include "cpu_peers/race.hpp"
#include "workload/columns.hpp"

namespace rtindex::bench {

void cores(PeerRecords& records, int keys_log2, int lookups_log2) {
  const KeyVector column = random_column(keys_log2);
  const Words values = values_for(column.size());
  const KeyVector keys = drawn_from<std::uint64_t>(column, std::size_t{1} << lookups_log2, 2);
  const Index one = build(column, "rx:native,threads=1");
  const Index two = build(column, "rx:native,threads=2");
  PeerRace(records).run(
      {fmt::format("one core against two, points, unsorted, 2^{} random 64-bit keys, sum",
                   keys_log2),
       {{"keys_log2", keys_log2}, {"keys", "uniform uint64"}},
       keys.size()},
      {points_of(one, keys, values), points_of(two, keys, values)});
}

}  // namespace rtindex::bench
