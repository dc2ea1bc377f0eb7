#include "support/test_column.hpp"

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

namespace rtindex::test {

namespace {

// Bitmaps start at an offset, so that code which ignores it fails.
constexpr std::size_t validity_offset = 3;

template <class T>
void append(std::vector<std::uint8_t>& bytes, T value) {
  const std::size_t at = bytes.size();
  bytes.resize(at + sizeof(T));
  std::memcpy(bytes.data() + at, &value, sizeof(T));
}

void append_native(std::vector<std::uint8_t>& bytes, Type type, const Part& part) {
  // The element of a null is arbitrary: here the largest value, so that code which reads it fails.
  if (type == Type::f16)
    return append(bytes, part.index() == 0 ? std::uint16_t{0x7bff}
                                           : half_bits(std::get<double>(part)).value());
  if (type == Type::binary16) {
    const std::string text =
        part.index() == 0 ? std::string(16, '\xff') : std::get<std::string>(part);
    bytes.insert(bytes.end(), text.begin(), text.end());
    return;
  }
  if (type == Type::f32)
    return append(bytes, part.index() == 0 ? 3.0e38F : static_cast<float>(std::get<double>(part)));
  if (type == Type::f64) return append(bytes, part.index() == 0 ? 1e308 : std::get<double>(part));
  const Whole value = part.index() == 0 ? largest_of(type) : std::get<Whole>(part);
  switch (type) {
    case Type::boolean: return append(bytes, static_cast<std::uint8_t>(value == 0 ? 0 : 255));
    case Type::u8:
    case Type::i8: return append(bytes, static_cast<std::uint8_t>(value));
    case Type::u16:
    case Type::i16: return append(bytes, static_cast<std::uint16_t>(value));
    case Type::u32:
    case Type::i32:
    case Type::time32:
    case Type::decimal32:
    case Type::date32: return append(bytes, static_cast<std::uint32_t>(value));
    case Type::i128:
    case Type::u128:
    case Type::decimal128:
      append(bytes, static_cast<std::uint64_t>(value));
      return append(bytes, static_cast<std::uint64_t>(value >> 64));
    default: return append(bytes, static_cast<std::uint64_t>(value));
  }
}

}  // namespace

struct TestColumn::Storage {
  std::vector<std::uint8_t> bytes;
  std::vector<std::string> strings;
  std::vector<std::string_view> views;
  std::string text;
  std::vector<std::int32_t> offsets32;
  std::vector<std::int64_t> offsets64;
  std::size_t width = 0;
  std::vector<TestColumn> parts;
  std::vector<std::uint8_t> validity;

  void take_strings(const std::vector<Key>& keys) {
    for (const Key& key : keys)
      strings.push_back(key[0].index() == 0 ? "\xff under a null" : std::get<std::string>(key[0]));
    offsets32 = {0};
    offsets64 = {0};
    for (const std::string& string : strings) {
      text += string;
      offsets32.push_back(static_cast<std::int32_t>(text.size()));
      offsets64.push_back(static_cast<std::int64_t>(text.size()));
      width = std::max(width, string.size());
    }
    for (const std::string& string : strings) views.emplace_back(string);
    for (std::string string : strings) {
      string.resize(width, '\0');
      bytes.insert(bytes.end(), string.begin(), string.end());
    }
  }

  void take_validity(const std::vector<Key>& keys) {
    validity.assign((keys.size() + validity_offset + 7) / 8, 0);
    bool nulls = false;
    for (std::size_t row = 0; row < keys.size(); ++row) {
      const std::size_t bit = row + validity_offset;
      if (is_null(keys[row]))
        nulls = true;
      else
        validity[bit / 8] = static_cast<std::uint8_t>(validity[bit / 8] | 1U << (bit % 8));
    }
    if (!nulls) validity.clear();
  }
};

TestColumn::TestColumn(const Shape& shape, std::vector<Key> keys)
    : shape_(shape), keys_(std::make_shared<const std::vector<Key>>(std::move(keys))) {
  for (const Key& key : *keys_)
    if (!fits(key, shape))
      throw std::logic_error("the test's key " + text_of(key) + " does not fit " + text_of(shape));
  auto storage = std::make_shared<Storage>();
  if (shape.type == Type::composite) {
    for (std::size_t part = 0; part < shape.parts.size(); ++part) {
      std::vector<Key> part_keys;
      for (const Key& key : *keys_) part_keys.push_back({key[part]});
      storage->parts.emplace_back(shape.parts[part], std::move(part_keys));
    }
  } else {
    if (shape.type == Type::string)
      storage->take_strings(*keys_);
    else
      for (const Key& key : *keys_) append_native(storage->bytes, shape.type, key[0]);
    storage->take_validity(*keys_);
  }
  storage_ = std::move(storage);
}

ColumnView TestColumn::view() const {
  const Storage& storage = *storage_;
  ColumnView view;
  if (shape_.type == Type::composite) {
    std::vector<ColumnView> parts;
    for (const TestColumn& part : storage.parts) parts.push_back(part.view());
    return ColumnView::composite(std::move(parts));
  }
  if (shape_.type != Type::string) {
    view = ColumnView::of(shape_.type, storage.bytes.data(), size());
  } else {
    switch (shape_.layout) {
      case Layout::strings: view = ColumnView(storage.strings); break;
      case Layout::views: view = ColumnView(storage.views); break;
      case Layout::offsets32:
        view = ColumnView::strings(storage.offsets32, storage.text.data());
        break;
      case Layout::offsets64:
        view = ColumnView::strings(storage.offsets64, storage.text.data());
        break;
      case Layout::fixed:
        view = ColumnView::fixed_strings(reinterpret_cast<const char*>(storage.bytes.data()),
                                         storage.width, size());
        break;
    }
  }
  return storage.validity.empty() ? view
                                  : view.with_validity(storage.validity.data(), validity_offset);
}

TestColumn integers(Type type, std::span<const Whole> values) {
  std::vector<Key> keys;
  for (const Whole value : values) keys.push_back({value});
  return {Shape{type}, std::move(keys)};
}

TestColumn floats(Type type, std::span<const double> values) {
  std::vector<Key> keys;
  for (const double value : values) keys.push_back({value});
  return {Shape{type}, std::move(keys)};
}

TestColumn strings(std::span<const std::string> values, Layout layout) {
  std::vector<Key> keys;
  for (const std::string& value : values) keys.push_back({value});
  return {Shape{Type::string, layout}, std::move(keys)};
}

}  // namespace rtindex::test
