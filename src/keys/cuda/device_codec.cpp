#include "keys/cuda/device_codec.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "keys/codecs.hpp"
#include "keys/cuda/device_128.hpp"
#include "keys/cuda/device_strings.hpp"
#include "keys/string_sample.hpp"

namespace rtindex::cuda {

namespace {

// Reads keys on the device for a codec, as long as their searcher exists.
class FromDevice {
 public:
  explicit FromDevice(const std::shared_ptr<DeviceFullKeys>& full) : full_(full) {
    check(cudaGetDevice(&device_), "querying the current GPU");
  }

  template <class Read>
  auto operator()(Read&& read) const {
    const std::shared_ptr<DeviceFullKeys> full = full_.lock();
    if (full == nullptr) fail("the index that these keys belong to is gone");
    const OnDevice current(device_);
    return read(*full);
  }

 private:
  std::weak_ptr<DeviceFullKeys> full_;
  int device_ = 0;
};

// Encodes the parts of tuples.
class PartEncoder {
 public:
  PartEncoder(const DeviceTuples& tuples, KeyUse use, std::shared_ptr<DeviceFullKeys> full,
              const Queue& queue)
      : tuples_(tuples), use_(use), full_(std::move(full)), queue_(queue) {}

  [[nodiscard]] std::unique_ptr<KeyCodec> encode_native(std::size_t p, Type type,
                                                        const DeviceElements& validity) const {
    DeviceElements elements = validity;
    elements.data = tuples_.end.fields[p];
    elements.type = tuples_.end.types[p];
    const DeviceExtent extent = extent_of(elements, queue_);
    return make_native_codec(type, {extent.smallest, extent.largest});
  }

  // The encoded keys are kept in `codes`.
  [[nodiscard]] std::unique_ptr<KeyCodec> encode_128_bits(std::size_t p, Type type,
                                                          DeviceArray<std::uint64_t>& codes) const {
    const Extent128 extent = extent_of_128(tuples_, p, queue_);
    DeviceCodes128 coded = encode_128(tuples_, p, Map128::of(extent), queue_);
    full_->part(p).low = std::move(coded.low);
    codes = std::move(coded.codes);
    return make_128_bit_codec(type, extent, [from = FromDevice(full_), p] {
      return from([p](const DeviceFullKeys& full) { return full.low_of(p); });
    });
  }

  // The codes of the strings are kept in `codes`.
  [[nodiscard]] std::unique_ptr<KeyCodec> encode_strings(std::size_t p,
                                                         DeviceArray<std::uint64_t>& codes) const {
    std::vector<std::string> sample = sampled(p);
    StringDictionary dictionary(views_of(sample), tuples_.size);
    if (use_ == KeyUse::points && !dictionary.is_exact()) return hash_strings(p, codes);
    DeviceFullKeys::Part& part = full_->part(p);
    StringEncoder encoder;
    const auto encode = [&] {
      part.dictionary = DeviceDictionary(dictionary, queue_);
      encoder.map = part.dictionary.map();
      return cuda::encode_strings(tuples_, p, encoder, queue_);
    };
    DeviceCodes coded = encode();
    // The sample may lack a few strings that the dictionary has room for.
    constexpr int max_attempts = 3;
    for (int i = 1; i < max_attempts && dictionary.is_exact() && coded.kept != 0; ++i) {
      for (std::string& text : fetch_strings(tuples_, p, coded.some_kept, queue_))
        sample.push_back(std::move(text));
      dictionary = StringDictionary(views_of(sample), tuples_.size);
      coded = encode();
    }
    std::optional<StringTailsSource> tails;
    if (coded.kept != 0) {
      part.tails = tails_of(tuples_, p, encoder, coded.codes.data(), coded.common, queue_);
      tails = StringTailsSource{coded.common, tails_source(p)};
    }
    codes = std::move(coded.codes);
    return make_string_codec(std::move(dictionary), {coded.smallest, coded.largest},
                             std::move(tails));
  }

 private:
  [[nodiscard]] static std::vector<std::string_view> views_of(
      const std::vector<std::string>& strings) {
    return {strings.begin(), strings.end()};
  }

  [[nodiscard]] std::vector<std::string> sampled(std::size_t p) const {
    const auto sample = [&](std::size_t wanted) {
      return fetch_strings(tuples_, p, sample_rows(tuples_.size, wanted), queue_);
    };
    if (tuples_.size == 0) return {};
    std::size_t bytes = 0;
    for (const std::string& text : sample(few_strings(tuples_.size))) bytes += text.size();
    return sample(strings_to_sample(tuples_.size, bytes));
  }

  [[nodiscard]] std::unique_ptr<KeyCodec> hash_strings(std::size_t p,
                                                       DeviceArray<std::uint64_t>& codes) const {
    StringEncoder encoder;
    encoder.is_hashed = true;
    encoder.hash = StringHash(random_hash_seed());
    DeviceCodes coded = cuda::encode_strings(tuples_, p, encoder, queue_);
    full_->part(p).tails = tails_of(tuples_, p, encoder, coded.codes.data(), 0, queue_);
    codes = std::move(coded.codes);
    return make_string_hash_codec(encoder.hash.seed(), coded.valid == 0, tails_source(p));
  }

  [[nodiscard]] std::function<StringTails()> tails_source(std::size_t p) const {
    return [from = FromDevice(full_), p] {
      return from([p](const DeviceFullKeys& full) { return full.tails_of(p); });
    };
  }

  const DeviceTuples& tuples_;
  KeyUse use_;
  std::shared_ptr<DeviceFullKeys> full_;
  Queue queue_;
};

constexpr ElementType packed_type{ElementType::Kind::unsigned_int, 8};

}  // namespace

CodedColumn encode_on_device(const DeviceTuples& tuples, std::span<const Type> types,
                             bool is_composite, KeyUse use, const Queue& queue) {
  CodedColumn result;
  result.full = std::make_shared<DeviceFullKeys>();
  DeviceElements validity{nullptr, packed_type, nullptr, 0, tuples.size};
  if (tuples.validity_count == 1) {
    validity.validity = tuples.validity[0].bits;
    validity.validity_offset = tuples.validity[0].offset;
  } else if (tuples.validity_count > 1) {
    result.validity = tuple_validity(tuples, queue);
    validity.validity = result.validity.data();
  }
  const PartEncoder encoder(tuples, is_composite ? KeyUse::order : use, result.full, queue);
  std::vector<std::unique_ptr<KeyCodec>> parts;
  std::vector<DeviceArray<std::uint64_t>> codes(types.size());
  PartCodes of_parts;
  for (std::size_t p = 0; p < types.size(); ++p) {
    parts.push_back(types[p] == Type::string ? encoder.encode_strings(p, codes[p])
                    : is_128_bit(types[p])   ? encoder.encode_128_bits(p, types[p], codes[p])
                                             : encoder.encode_native(p, types[p], validity));
    parts.back()->number_rows(RowNumbers(0, tuples.size));
    of_parts.codes[p] = codes[p].empty() ? nullptr : codes[p].data();
  }
  result.elements = validity;
  if (is_composite) {
    PackedSource source;
    source.find_extent = [&](const CodecFields& layout) {
      StringMap unused[PackedMap::max_fields] = {};
      const PackedMap map = packed_map_of(layout, unused);
      result.keys = pack_tuples(tuples, map, of_parts, queue);
      for (std::size_t p = layout.first_compared; p < types.size(); ++p)
        result.full->part(p).keys = part_keys(tuples, map, p, of_parts, queue);
      result.elements.data = result.keys.data();
      result.extent = extent_of(result.elements, queue);
      return KeyExtent{result.extent.smallest, result.extent.largest};
    };
    source.load_keys = [from = FromDevice(result.full)](std::size_t p) {
      return from([p](const DeviceFullKeys& full) { return full.keys_of(p); });
    };
    result.codec = make_composite_codec(std::move(parts), source);
  } else {
    result.codec = std::move(parts.front());
    result.keys = std::move(codes.front());
    result.elements.data = result.keys.data();
    result.extent = extent_of(result.elements, queue);
  }
  if (result.codec->empty()) result.extent = {~std::uint64_t{0}, 0, 0};
  result.codec->number_rows(RowNumbers(0, tuples.size));
  const CodecFields& layout = result.codec->fields();
  result.base = is_composite ? layout.base : layout.fields.front().map.base;
  result.full->set_view(*result.codec, layout);
  return result;
}

}  // namespace rtindex::cuda
