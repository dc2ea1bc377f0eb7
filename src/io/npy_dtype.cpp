#include "io/npy_dtype.hpp"

#include <array>
#include <charconv>
#include <limits>

#include "base/error.hpp"

namespace rtindex {

namespace {

struct Known {
  std::string_view code;
  Type type;
};

constexpr std::array<Known, 11> known_types = {{{"u1", Type::u8},
                                                {"u2", Type::u16},
                                                {"u4", Type::u32},
                                                {"u8", Type::u64},
                                                {"i1", Type::i8},
                                                {"i2", Type::i16},
                                                {"i4", Type::i32},
                                                {"i8", Type::i64},
                                                {"b1", Type::boolean},
                                                {"f4", Type::f32},
                                                {"f8", Type::f64}}};

[[noreturn]] void refuse(std::string_view descr, const std::string& path) {
  const char kind = descr.size() > 1 ? descr[1] : '?';
  switch (kind) {
    case 'f':
      fail(
          "{} holds floats of type '{}', and rtindex takes float32 and float64: save "
          "a.astype('float32') or a.astype('float64')",
          path, descr);
    case 'U':
      fail(
          "{} holds UTF-32 strings ('{}'), and rtindex takes byte strings: save "
          "numpy.char.encode(a, 'utf-8')",
          path, descr);
    case 'O': fail("{} holds Python objects: save numbers, or strings with a.astype('S')", path);
    case 'm':
      fail("{} holds time spans ('{}'): save them as integers with a.astype('int64')", path, descr);
    case 'c':
      fail("{} holds complex numbers ('{}'), which have no order: save a.real or a.imag", path,
           descr);
    default:
      fail(
          "{} holds elements of type '{}': save integers, float32, float64, bool, 'S' strings "
          "or datetime64",
          path, descr);
  }
}

// "[us]" behind M8; a plain M8 has no unit.
std::string unit_of(std::string_view behind, std::string_view descr, const std::string& path) {
  if (behind.empty()) return "";
  if (behind.size() < 3 || behind.front() != '[' || behind.back() != ']') refuse(descr, path);
  return std::string(behind.substr(1, behind.size() - 2));
}

std::size_t string_width(std::string_view digits, std::string_view descr, const std::string& path) {
  std::size_t width = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), width);
  if (error != std::errc() || end != digits.data() + digits.size() || width == 0)
    fail("{} holds strings of an impossible width ('{}'): save them again", path, descr);
  return width;
}

}  // namespace

NpyType npy_type(std::string_view descr, const std::string& path) {
  if (descr.size() < 2 || std::string_view("<>=|").find(descr.front()) == std::string_view::npos)
    refuse(descr.empty() ? "?" : descr, path);
  const std::string_view code = descr.substr(1);
  if (code.front() == 'S') return {Type::string, string_width(code.substr(1), descr, path), ""};

  NpyType result;
  if (code.starts_with("M8")) {
    result = {Type::timestamp64, 8, unit_of(code.substr(2), descr, path)};
  } else {
    const Known* found = nullptr;
    for (const Known& known : known_types)
      if (known.code == code) found = &known;
    if (found == nullptr) refuse(descr, path);
    result = {found->type, static_cast<std::size_t>(code[1] - '0'), ""};
  }
  if (descr.front() == '>' && result.width > 1)
    fail("{} is big-endian ('{}'): save a.astype(a.dtype.newbyteorder('<'))", path, descr);
  return result;
}

}  // namespace rtindex
