#pragma once

#include <tuple>

#include "gpu/gpu_report.hpp"
#include "gpu/peers/peer.hpp"

namespace rtindex::bench {

// The questions that our indexes are asked, to a published one.
inline void race_points(GpuReport& report, GpuPeer& peer, const DeviceBed& bed,
                        const DeviceLookupBed& lookups, const nlohmann::json& workload) {
  peer.prepare(bed.rule);
  const Times builds = report.time([] {}, [&] { peer.build(bed.keys.data()); });
  report.add(peer.name(), "build", "build_ms", builds, 0, workload);
  report.add_number(peer.name(), "resident", "bytes_per_key",
                    static_cast<double>(peer.bytes()) / static_cast<double>(bed.rule.rows),
                    workload);
  for (const auto& [name, kind, sorted] :
       {std::tuple{"sum, unsorted, all hit", Lookups::hits, false},
        std::tuple{"sum, unsorted, all miss", Lookups::misses, false},
        std::tuple{"sum, sorted, all hit", Lookups::hits, true}}) {
    make_lookups(bed.rule, kind, 1, lookups.count, lookups.keys.data());
    if (sorted) sort_lookups(bed.rule, lookups.count, lookups.keys.data());
    report.add_sums(peer.name(), name, bed, lookups, workload, [&] {
      peer.sums(lookups.keys.data(), lookups.count, bed.values.as<std::uint32_t>(),
                lookups.sums.as<std::uint64_t>());
    });
  }
}

inline void race_ranges(GpuReport& report, GpuPeer& peer, const DeviceBed& bed,
                        const DeviceRangeBed& ranges) {
  if (!peer.answers_ranges()) return;
  peer.prepare(bed.rule);
  peer.build(bed.keys.data());
  for (const std::uint64_t hits : {1, 16, 256, 1024}) {
    make_ranges(bed.rule, hits, ranges.count, ranges.lower.data(), ranges.upper.data());
    report.add_range_sums(
        peer.name(), fmt::format("range sum, {} hits", hits), bed, ranges, hits, [&] {
          peer.range_sums(ranges.lower.as<std::uint32_t>(), ranges.upper.as<std::uint32_t>(), hits,
                          ranges.count, bed.values.as<std::uint32_t>(),
                          ranges.sums.as<std::uint64_t>());
        });
  }
}

}  // namespace rtindex::bench
