#pragma once

#include <cstddef>
#include <cstdint>

#include "base/cuda/device_array.hpp"
#include "keys/codec.hpp"
#include "keys/codec_fields.hpp"
#include "keys/cuda/device_tails.hpp"
#include "keys/full_keys.hpp"

namespace rtindex::cuda {

// A StringDictionary in device memory.
class DeviceDictionary {
 public:
  DeviceDictionary() = default;
  DeviceDictionary(const StringDictionary& dictionary, const Queue& queue);

  [[nodiscard]] StringMap map() const;
  [[nodiscard]] std::size_t bytes() const {
    return nodes_.bytes() + positions_.bytes() + alphabets_.bytes() + labels_.bytes();
  }

 private:
  DeviceArray<StringNode> nodes_;
  DeviceArray<StringPosition> positions_;
  DeviceArray<StringAlphabet> alphabets_;
  DeviceArray<char> labels_;
};

// What FullKeys points to.
class DeviceFullKeys {
 public:
  // How a part of a column is encoded, and its residuals.
  struct Part {
    DeviceDictionary dictionary;
    DeviceTails tails;
    DevicePackedKeys keys;
    DevicePackedKeys low;
  };

  DeviceFullKeys() = default;
  // A copy of what a codec keeps; parts() are its parts.
  DeviceFullKeys(const KeyCodec& codec, const CodecFields& parts, const Queue& queue);

  [[nodiscard]] Part& part(std::size_t p) { return parts_[p]; }
  // Once all parts are there.
  void set_view(const KeyCodec& codec, const CodecFields& parts);
  [[nodiscard]] const FullKeys& view() const { return view_; }
  // Whether different keys may have one encoded key.
  [[nodiscard]] bool compares() const { return view_.map.first_compared < view_.map.count; }
  [[nodiscard]] std::size_t bytes() const;

  // A copy in host memory, from the current GPU.
  [[nodiscard]] StringTails tails_of(std::size_t p) const;
  [[nodiscard]] PackedKeys keys_of(std::size_t p) const;
  [[nodiscard]] PackedKeys low_of(std::size_t p) const;

 private:
  Part parts_[PackedMap::max_fields];
  DeviceArray<std::uint32_t> rows_;
  FullKeys view_;
};

}  // namespace rtindex::cuda
