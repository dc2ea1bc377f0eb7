#include "kinds/embree/embree_searchers.hpp"

#include <algorithm>

#include "base/search.hpp"
#include "engine/ordered_kind.hpp"
#include "kinds/embree/bucket_scene.hpp"

namespace rtindex {

namespace {

struct BucketSettings {
  RxOptions options;
  int threads;
};

// Finds positions by rays: the bucket in the scene, then the key in the bucket.
template <class Key>
class BucketLocator final : public Locator<Key> {
 public:
  // Sequences are searched with rays, as the paper's experiments need it.
  static constexpr LocatorTraits traits{
      .order_pays = true, .searches_sequences = true, .counts_work = true};

  BucketLocator(const KeyOrder<Key>& order, const BucketSettings& settings)
      : buckets_{settings.options.bucket, static_cast<std::uint32_t>(order.size())},
        scene_(
            settings.options, buckets_,
            [&](std::uint32_t bucket) {
              // Keys from a damaged file may be arbitrary; the scene can hold those up to the span.
              return std::min<std::uint64_t>(order.key(buckets_.end(bucket) - 1), order.span());
            },
            settings.threads) {}
  BucketLocator(const FileReader&, const KeyOrder<Key>& order, const BucketSettings& settings)
      : BucketLocator(order, settings) {}
  // Only the keys in order are saved: Embree cannot save a scene.
  void save(FileWriter) const override {}

  void lower_bounds(const KeyOrder<Key>& order, const Key* keys, std::size_t count,
                    std::uint32_t* at, Counters* work) const override {
    std::uint64_t rays = 0;
    order.with_keys([&](const auto& in_order) {
      for (std::size_t i = 0; i < count; ++i) at[i] = lower_bound(in_order, keys[i], rays);
    });
    if (work != nullptr) work->rays += rays;
  }

  [[nodiscard]] LocatorBytes bytes() const override {
    return {{{"acceleration structure", scene_.representative_bytes()},
             {"markers", scene_.marker_bytes()}},
            scene_.peak_bytes()};
  }

  [[nodiscard]] std::string describe() const override {
    return fmt::format(
        "tracer: {}, rtcIntersect1 for the closest hit\n"
        "buckets: {} of {} sorted keys, {} representatives, {} row markers, {} plane markers\n"
        "{}rays: 1 to 3 for the end of a lookup, along x, y and z\n",
        embree_version(), buckets_.count(), buckets_.size, scene_.representatives(),
        scene_.row_markers(), scene_.plane_markers(), dropped_text(scene_.dropped_bits()));
  }

 private:
  template <class Keys>
  [[nodiscard]] std::uint32_t lower_bound(const Keys& keys, Key wanted, std::uint64_t& rays) const {
    const std::uint32_t bucket = scene_.find(wanted, rays);
    return lower_bound_from_hint(
        buckets_.keys, buckets_.begin(bucket), buckets_.end(bucket), wanted,
        [&](std::uint32_t position) { return keys[position]; },
        [&](std::uint32_t begin, std::uint32_t end) {
          return partition_point(begin, end,
                                 [&](std::uint32_t position) { return keys[position] < wanted; });
        });
  }

  Buckets buckets_;
  EmbreeBuckets scene_;
};

}  // namespace

HostSearchers bucketed_searchers(const EmbreeOptions& options) {
  HostSearchers searchers =
      ordered_searchers<BucketLocator>(options.order, BucketSettings{options.rx, options.threads});
  searchers.build = [rx = options.rx, build = searchers.build](
                        EncodedColumn column, const KeyCodec& codec, const KeyText& key_text,
                        std::span<const ColumnView> include) {
    require_exact(rx, column, key_text, embree_coordinate_limit);
    return build(std::move(column), codec, key_text, include);
  };
  searchers.load = [rx = options.rx, load = searchers.load](
                       const FileReader& file, const KeyCodec& codec, std::size_t rows) {
    if (!is_exact(rx, codec.span(), embree_coordinate_limit))
      file.reject("its keys span {}, more than mode={} holds", codec.span(),
                  name_of(rx.coordinates.mode));
    LoadedSearcher loaded = load(file, codec, rows);
    loaded.rebuilt = true;
    return loaded;
  };
  searchers.merge = {};  // keys of a merge are checked like those of a build
  return searchers;
}

}  // namespace rtindex
