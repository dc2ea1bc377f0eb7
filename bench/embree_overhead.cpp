// The speed of rx:embree relative to Embree itself.
//
// The bare loop below is a hand-written version of RX's default configuration: one triangle per key
// in row order, rtcOccluded1 with a perpendicular ray per lookup and a filter that reads the value
// at the rowID. It shares the scene's geometry with the library and nothing else. Goal: at least
// 90% of its speed, unsorted and sorted.

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "base/parallel.hpp"
#include "harness/program_options.hpp"
#include "harness/records.hpp"
#include "harness/timing.hpp"
#include "kinds/embree/device.hpp"
#include "kinds/scene/primitives.hpp"
#include "kinds/scene/rays.hpp"
#include "workload/host_keys.hpp"

namespace rtindex::bench {

namespace {

class BareEmbree {
 public:
  explicit BareEmbree(const std::vector<std::uint64_t>& column) : device_(rtcNewDevice("")) {
    scene_ = rtcNewScene(device_);
    RTCGeometry geometry = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_TRIANGLE);
    auto* triangles = static_cast<Triangle*>(rtcSetNewGeometryBuffer(
        geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, sizeof(Point), 3 * column.size()));
    auto* corners = static_cast<std::uint32_t*>(
        rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                3 * sizeof(std::uint32_t), column.size()));
    for (std::size_t i = 0; i < column.size(); ++i)
      triangles[i] = triangle_at(coordinates_, column[i]);
    for (std::size_t i = 0; i < 3 * column.size(); ++i) corners[i] = static_cast<std::uint32_t>(i);
    rtcSetGeometryOccludedFilterFunction(geometry, take);
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(scene_, geometry);
    rtcReleaseGeometry(geometry);
    rtcCommitScene(scene_);
  }
  ~BareEmbree() {
    rtcReleaseScene(scene_);
    rtcReleaseDevice(device_);
  }
  BareEmbree(const BareEmbree&) = delete;
  BareEmbree& operator=(const BareEmbree&) = delete;

  void sum(const std::vector<std::uint64_t>& keys, const std::vector<std::uint32_t>& values,
           std::vector<std::uint64_t>& sums) const {
    parallel_for(keys.size(), 4096, [&](std::size_t first, std::size_t count) {
      Query query;
      init_context(query.base);
      query.values = values.data();
      for (std::size_t i = first; i < first + count; ++i) {
        query.sum = 0;
        query.hits = 0;
        const Point p = coordinates_.point_of(keys[i]);
        RTCRay ray{};
        ray.org_x = p.x;
        ray.org_y = p.y;
        ray.org_z = p.z - 0.5F;
        ray.dir_z = 1;
        ray.tfar = 1;
        ray.mask = ~0U;
        occluded(scene_, query.base, ray);
        sums[i] = query.hits == 0 ? ~std::uint64_t{0} : query.sum;
      }
    });
  }

 private:
  struct Query {
    EmbreeContext base;
    const std::uint32_t* values;
    std::uint64_t sum;
    std::uint32_t hits;
  };

  static void take(const RTCFilterFunctionNArguments* arguments) {
    auto* query = reinterpret_cast<Query*>(arguments->context);
    query->sum += query->values[RTCHitN_primID(arguments->hit, arguments->N, 0)];
    ++query->hits;
    arguments->valid[0] = 0;
  }

  Coordinates coordinates_;
  RTCDevice device_;
  RTCScene scene_ = nullptr;
};

struct Arguments {
  int keys_log2 = 22;
  int lookups_log2 = 22;
  std::string records;
};

int start(int argc, char** argv) {
  Arguments arguments;
  CLI::App app("rx:embree against a bare Embree loop on the same scene");
  add_log2(app, "--keys", arguments.keys_log2, 28, "keys");
  add_log2(app, "--lookups", arguments.lookups_log2, 28, "lookups");
  add_records(app, arguments.records);
  CLI11_PARSE(app, argc, argv);
  const std::size_t size = std::size_t{1} << arguments.keys_log2;
  const auto column = bench::dense_shuffled<std::uint64_t>(size, 1);
  std::vector<std::uint32_t> values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = static_cast<std::uint32_t>(i * 2654435761U);

  const Index index = build(column, "rx:embree");
  const BareEmbree bare(column);
  std::vector<std::uint32_t> row_of_key(size);
  for (std::size_t i = 0; i < size; ++i) row_of_key[column[i]] = static_cast<std::uint32_t>(i);

  bench::Records records(arguments.records,
                         fmt::format("bench_embree_overhead --keys {} --lookups {}",
                                     arguments.keys_log2, arguments.lookups_log2));
  fmt::print("rx:embree against a bare Embree loop: 2^{} dense keys, 2^{} point lookups, sum\n\n",
             arguments.keys_log2, arguments.lookups_log2);
  fmt::print("{:10} {:>14} {:>14} {:>8}\n", "lookups", "bare, Ml/s", "rtindex, Ml/s", "ratio");
  for (const bool sorted : {false, true}) {
    auto lookups =
        bench::drawn_from<std::uint64_t>(column, std::size_t{1} << arguments.lookups_log2, 2);
    if (sorted) std::sort(lookups.begin(), lookups.end());
    std::vector<std::uint64_t> bare_sums(lookups.size());
    std::vector<std::uint64_t> sums(lookups.size());
    const auto times = bench::race({[&] { bare.sum(lookups, values, bare_sums); },
                                    [&] {
                                      index.answer_into(Query::equal(lookups), {.values = values},
                                                        {.sum = sums.data()});
                                    }});
    for (std::size_t i = 0; i < lookups.size(); ++i) {
      const std::uint64_t expected = values[row_of_key[lookups[i]]];
      if (sums[i] != expected || bare_sums[i] != expected) {
        fmt::print(stderr, "wrong answer for lookup {}\n", i);
        return 1;
      }
    }
    const double rate = static_cast<double>(lookups.size()) / 1e3;
    const char* order = sorted ? "sorted" : "unsorted";
    fmt::print("{:10} {:14.2f} {:14.2f} {:8.3f}\n", order, rate / times[0].median(),
               rate / times[1].median(), times[0].median() / times[1].median());
    const nlohmann::json workload = {{"keys_log2", arguments.keys_log2},
                                     {"lookups_log2", arguments.lookups_log2},
                                     {"keys", "dense shuffled uint64"},
                                     {"order", order},
                                     {"answer", "sum"}};
    records.add({.experiment = "embree-overhead",
                 .index = "bare embree loop",
                 .metric = "lookup_ms",
                 .value = times[0].median(),
                 .runs = times[0].runs,
                 .workload = workload});
    records.add({.experiment = "embree-overhead",
                 .index = index.spec().text(),
                 .metric = "lookup_ms",
                 .value = times[1].median(),
                 .runs = times[1].runs,
                 .workload = workload});
  }
  fmt::print("\nall answers of both checked\n");
  return 0;
}

}  // namespace

}  // namespace rtindex::bench

int main(int argc, char** argv) { return rtindex::bench::start(argc, argv); }
