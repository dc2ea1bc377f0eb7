#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace rtindex::test {

// A section of an index file, on a page of its own.
struct OldSection {
  std::string name;
  std::uint64_t checksum;
  bool small;
  std::string_view digits;  // hexadecimal
  std::size_t filler = 0;   // bytes 0xff after them
};

// An index file of format 1, as version 0.1.0 wrote it. Its prelude has the size and the checksum
// of the header, which is made of what follows.
struct OldFile {
  std::string_view prelude;  // as hexadecimal digits
  std::map<std::string, std::uint64_t> numbers;
  std::map<std::string, std::string> texts;
  std::vector<OldSection> sections;
};

// rx:native over uint32 keys with two nulls, int16 values included, metadata.
inline const OldFile format_1_native = {
    "89525449580d0a1a04030201010000000070000000000000e804000000000000bf849f64fe36a48e"
    "00000000000000000000000000000000b0e761b82c79c002",
    {{"codec.base", 10},
     {"codec.empty", 0},
     {"codec.span", 3999999990},
     {"rows", 10},
     {"structure.order.build_peak", 448},
     {"structure.order.keys", 8}},
    {{"codec.type", "uint32"},
     {"included_time_unit", ""},
     {"metadata.table", "trades"},
     {"spec", "rx:native@cpu,order=auto,threads=1"},
     {"structure.included.type", "int16"},
     {"time_unit", ""},
     {"type", "uint32"}},
    {{"structure.included.outside", 2155419239712333130U, false, "63006200"},
     {"structure.included.prefix", 12841148179090877112U, false, "0000000000000000"},
     {"structure.included.values", 7519867724673892817U, false, "fffffefffdff02000300040005000700"},
     {"structure.locator.levels", 408013132338799505U, true,
      "04000000000000000000000000000000f6276bee000000000000000008000000"},
     {"structure.locator.offsets", 4117575309474647569U, false, "0000050003000100"},
     {"structure.order.pairs", 1925524921399971761U, false,
      "0000000001000000000000000300000000000000090000000a000000050000001400000002000000"
      "14000000070000002800000000000000f6276bee06000000",
      128}}};

// hash over the same keys.
inline const OldFile format_1_hash = {
    "89525449580d0a1a040302010100000000400000000000001003000000000000a522027c5f8b34b9"
    "000000000000000000000000000000004950b46deee905b6",
    {{"codec.base", 10},
     {"codec.empty", 0},
     {"codec.span", 3999999990},
     {"rows", 10},
     {"structure.build_peak", 192},
     {"structure.capacity", 7},
     {"structure.distinct", 5},
     {"structure.keys", 8}},
    {{"codec.type", "uint32"},
     {"included_time_unit", ""},
     {"spec", "hash@cpu,threads=all"},
     {"time_unit", ""},
     {"type", "uint32"}},
    {{"structure.filter.bits", 7900371292412422398U, false, "a10020015800260c"},
     {"structure.several", 6076438382224659124U, false, "0100000003000000090000000200000007000000"},
     {"structure.table", 13173356062120259759U, false,
      "000000000000000003000000f288951b0500000001000000e4112b3703000000020000004555df3c"
      "0000000001000000bb6ece4d0600000001000000ffffffff0000000000000000ffffffff00000000"
      "00000000ffffffff0000000000000000"}}};

// sorted over strings that share their first bytes, one twice.
inline const OldFile format_1_string = {
    "89525449580d0a1a040302010100000000600000000000003e040000000000006b088233394155bd"
    "00000000000000000000000000000000e5c9657d2c0a4c2e",
    {{"codec.base", 2333267458273648748},
     {"codec.empty", 0},
     {"codec.head_bytes", 8},
     {"codec.span", 6347552903951893428},
     {"codec.tails_kept", 1},
     {"rows", 8},
     {"structure.order.build_peak", 640},
     {"structure.order.keys", 8}},
    {{"codec.type", "string"},
     {"included_time_unit", ""},
     {"spec", "sorted@cpu,order=auto,threads=all"},
     {"time_unit", ""},
     {"type", "string"}},
    {{"codec.head_lengths", 4563009813007186998U, false, "0808080808080808"},
     {"codec.prefix", 8129034177473156600U, true, "6120636f6d6d6f6e20737461727420"},
     {"codec.tail_starts", 16564959039120455233U, false,
      "00000000000000000a00000000000000150000000000000021000000000000002e00000000000000"
      "3800000000000000440000000000000050000000000000005d00000000000000"},
     {"codec.tails", 17804367163437052006U, false,
      "6f6e67207461696c20306c6f6e67207461696c2031206c6f6e67207461696c203261206c6f6e6720"
      "7461696c20336f6e67207461696c2034206c6f6e67207461696c2032206c6f6e67207461696c2036"
      "61206c6f6e67207461696c2037"},
     {"structure.order.pairs", 15477421732609623241U, false,
      "000000000000000000000000000000000000000004000000b440bf430af3be5701000000f5ff024e"
      "fdb1165802000000f5ff024efdb1165805000000f5ff024efdb1165806000000b4430d41bc091758"
      "03000000b4430d41bc09175807000000",
      192}}};

// btree over (int32, string) with float64 values included.
inline const OldFile format_1_composite = {
    "89525449580d0a1a040302010100000000900000000000006107000000000000ae65cbfe99ccf0ca"
    "00000000000000000000000000000000bd733142ced939d4",
    {{"codec.base", 2079499044899520512},
     {"codec.empty", 0},
     {"codec.part0.base", 2147483647},
     {"codec.part0.empty", 0},
     {"codec.part0.span", 4},
     {"codec.part1.base", 0},
     {"codec.part1.empty", 0},
     {"codec.part1.head_bytes", 8},
     {"codec.part1.span", 8317996179604730478},
     {"codec.part1.tails_kept", 1},
     {"codec.parts", 2},
     {"codec.span", 9133299219674175579},
     {"rows", 6},
     {"structure.order.build_peak", 576},
     {"structure.order.keys", 6}},
    {{"codec.part0.type", "int32"},
     {"codec.part1.type", "string"},
     {"codec.type", "composite"},
     {"included_time_unit", ""},
     {"part_time_unit0", ""},
     {"part_time_unit1", ""},
     {"spec", "btree@cpu,order=auto,threads=all"},
     {"structure.included.type", "float64"},
     {"time_unit", ""},
     {"type", "composite"}},
    {{"codec.part1.by_row", 6177593437374086268U, false,
      "6e61206874726f6e0000006874756f736e61206874726f6e00000000000000006e72656874756f73"
      "0000006874726f6e"},
     {"codec.part1.head_lengths", 5209681141852324806U, false, "080508000805"},
     {"codec.part1.prefix", 17241709254077376921U, true, ""},
     {"codec.part1.tail_starts", 2905625852348450898U, false,
      "00000000000000000800000000000000080000000000000010000000000000001000000000000000"
      "15000000000000001500000000000000"},
     {"codec.part1.tails", 17361597050115118662U, false,
      "64206265796f6e6464206265796f6e642070617274"},
     {"structure.included.outside", 17241709254077376921U, false, ""},
     {"structure.included.values", 7764572878925934298U, false,
      "000000000000f83f00000000000012400000000000000c400000000000001640000000000000e03f"
      "0000000000000440"},
     {"structure.order.pairs", 12419680584762489895U, false,
      "0000000000000000010000009b5c19000000000004000000000000e6a22224430300000000000000"
      "40ffbf7e050000005b18080040ffbf7e000000005b18080040ffbf7e02000000",
      192}}};

}  // namespace rtindex::test
