#pragma once

#include <string_view>
#include <vector>

namespace rtindex::test {

// An index file of format 1, as version 0.1.0 wrote it, without the zeros between its sections.
struct OldFile {
  std::size_t bytes;
  std::string_view prelude;  // as hexadecimal digits
  std::string_view header;
  std::vector<std::string_view> sections;  // as hexadecimal digits; the header tells where
};

// rx:native over uint32 keys with two nulls, int16 values included, metadata.
inline const OldFile format_1_native = {
    28672,
    "89525449580d0a1a04030201010000000070000000000000e804000000000000bf849f64fe36a48e"
    "00000000000000000000000000000000b0e761b82c79c002",
    R"({
 "library": "0.1.0",
 "numbers": {
  "codec.base": 10,
  "codec.empty": 0,
  "codec.span": 3999999990,
  "rows": 10,
  "structure.order.build_peak": 448,
  "structure.order.keys": 8
 },
 "sections": [
  {
   "bytes": 4,
   "checksum": 2155419239712333130,
   "name": "structure.included.outside",
   "offset": 4096,
   "small": false
  },
  {
   "bytes": 8,
   "checksum": 12841148179090877112,
   "name": "structure.included.prefix",
   "offset": 8192,
   "small": false
  },
  {
   "bytes": 16,
   "checksum": 7519867724673892817,
   "name": "structure.included.values",
   "offset": 12288,
   "small": false
  },
  {
   "bytes": 32,
   "checksum": 408013132338799505,
   "name": "structure.locator.levels",
   "offset": 16384,
   "small": true
  },
  {
   "bytes": 8,
   "checksum": 4117575309474647569,
   "name": "structure.locator.offsets",
   "offset": 20480,
   "small": false
  },
  {
   "bytes": 192,
   "checksum": 1925524921399971761,
   "name": "structure.order.pairs",
   "offset": 24576,
   "small": false
  }
 ],
 "texts": {
  "codec.type": "uint32",
  "included_time_unit": "",
  "metadata.table": "trades",
  "spec": "rx:native@cpu,order=auto,threads=1",
  "structure.included.type": "int16",
  "time_unit": "",
  "type": "uint32"
 }
}
)",
    {"63006200", "0000000000000000", "fffffefffdff02000300040005000700",
     "04000000000000000000000000000000f6276bee000000000000000008000000", "0000050003000100",
     "0000000001000000000000000300000000000000090000000a000000050000001400000002000000"
     "14000000070000002800000000000000f6276bee06000000ffffffffffffffffffffffffffffffff"
     "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
     "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
     "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"}};

// hash over the same keys.
inline const OldFile format_1_hash = {
    16384,
    "89525449580d0a1a040302010100000000400000000000001003000000000000a522027c5f8b34b9"
    "000000000000000000000000000000004950b46deee905b6",
    R"({
 "library": "0.1.0",
 "numbers": {
  "codec.base": 10,
  "codec.empty": 0,
  "codec.span": 3999999990,
  "rows": 10,
  "structure.build_peak": 192,
  "structure.capacity": 7,
  "structure.distinct": 5,
  "structure.keys": 8
 },
 "sections": [
  {
   "bytes": 8,
   "checksum": 7900371292412422398,
   "name": "structure.filter.bits",
   "offset": 4096,
   "small": false
  },
  {
   "bytes": 20,
   "checksum": 6076438382224659124,
   "name": "structure.several",
   "offset": 8192,
   "small": false
  },
  {
   "bytes": 96,
   "checksum": 13173356062120259759,
   "name": "structure.table",
   "offset": 12288,
   "small": false
  }
 ],
 "texts": {
  "codec.type": "uint32",
  "included_time_unit": "",
  "spec": "hash@cpu,threads=all",
  "time_unit": "",
  "type": "uint32"
 }
}
)",
    {"a10020015800260c", "0100000003000000090000000200000007000000",
     "000000000000000003000000f288951b0500000001000000e4112b3703000000020000004555df3c"
     "0000000001000000bb6ece4d0600000001000000ffffffff0000000000000000ffffffff00000000"
     "00000000ffffffff0000000000000000"}};

// sorted over strings that share their first bytes, one twice.
inline const OldFile format_1_string = {
    24576,
    "89525449580d0a1a040302010100000000600000000000003e040000000000006b088233394155bd"
    "00000000000000000000000000000000e5c9657d2c0a4c2e",
    R"({
 "library": "0.1.0",
 "numbers": {
  "codec.base": 2333267458273648748,
  "codec.empty": 0,
  "codec.head_bytes": 8,
  "codec.span": 6347552903951893428,
  "codec.tails_kept": 1,
  "rows": 8,
  "structure.order.build_peak": 640,
  "structure.order.keys": 8
 },
 "sections": [
  {
   "bytes": 8,
   "checksum": 4563009813007186998,
   "name": "codec.head_lengths",
   "offset": 4096,
   "small": false
  },
  {
   "bytes": 15,
   "checksum": 8129034177473156600,
   "name": "codec.prefix",
   "offset": 8192,
   "small": true
  },
  {
   "bytes": 72,
   "checksum": 16564959039120455233,
   "name": "codec.tail_starts",
   "offset": 12288,
   "small": false
  },
  {
   "bytes": 93,
   "checksum": 17804367163437052006,
   "name": "codec.tails",
   "offset": 16384,
   "small": false
  },
  {
   "bytes": 288,
   "checksum": 15477421732609623241,
   "name": "structure.order.pairs",
   "offset": 20480,
   "small": false
  }
 ],
 "texts": {
  "codec.type": "string",
  "included_time_unit": "",
  "spec": "sorted@cpu,order=auto,threads=all",
  "time_unit": "",
  "type": "string"
 }
}
)",
    {"0808080808080808", "6120636f6d6d6f6e20737461727420",
     "00000000000000000a00000000000000150000000000000021000000000000002e00000000000000"
     "3800000000000000440000000000000050000000000000005d00000000000000",
     "6f6e67207461696c20306c6f6e67207461696c2031206c6f6e67207461696c203261206c6f6e6720"
     "7461696c20336f6e67207461696c2034206c6f6e67207461696c2032206c6f6e67207461696c2036"
     "61206c6f6e67207461696c2037",
     "000000000000000000000000000000000000000004000000b440bf430af3be5701000000f5ff024e"
     "fdb1165802000000f5ff024efdb1165805000000f5ff024efdb1165806000000b4430d41bc091758"
     "03000000b4430d41bc09175807000000ffffffffffffffffffffffffffffffffffffffffffffffff"
     "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
     "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
     "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
     "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
     "ffffffffffffffff"}};

// btree over (int32, string) with float64 values included.
inline const OldFile format_1_composite = {
    36864,
    "89525449580d0a1a040302010100000000900000000000006107000000000000ae65cbfe99ccf0ca"
    "00000000000000000000000000000000bd733142ced939d4",
    R"({
 "library": "0.1.0",
 "numbers": {
  "codec.base": 2079499044899520512,
  "codec.empty": 0,
  "codec.part0.base": 2147483647,
  "codec.part0.empty": 0,
  "codec.part0.span": 4,
  "codec.part1.base": 0,
  "codec.part1.empty": 0,
  "codec.part1.head_bytes": 8,
  "codec.part1.span": 8317996179604730478,
  "codec.part1.tails_kept": 1,
  "codec.parts": 2,
  "codec.span": 9133299219674175579,
  "rows": 6,
  "structure.order.build_peak": 576,
  "structure.order.keys": 6
 },
 "sections": [
  {
   "bytes": 48,
   "checksum": 6177593437374086268,
   "name": "codec.part1.by_row",
   "offset": 4096,
   "small": false
  },
  {
   "bytes": 6,
   "checksum": 5209681141852324806,
   "name": "codec.part1.head_lengths",
   "offset": 8192,
   "small": false
  },
  {
   "bytes": 0,
   "checksum": 17241709254077376921,
   "name": "codec.part1.prefix",
   "offset": 12288,
   "small": true
  },
  {
   "bytes": 56,
   "checksum": 2905625852348450898,
   "name": "codec.part1.tail_starts",
   "offset": 16384,
   "small": false
  },
  {
   "bytes": 21,
   "checksum": 17361597050115118662,
   "name": "codec.part1.tails",
   "offset": 20480,
   "small": false
  },
  {
   "bytes": 0,
   "checksum": 17241709254077376921,
   "name": "structure.included.outside",
   "offset": 24576,
   "small": false
  },
  {
   "bytes": 48,
   "checksum": 7764572878925934298,
   "name": "structure.included.values",
   "offset": 28672,
   "small": false
  },
  {
   "bytes": 264,
   "checksum": 12419680584762489895,
   "name": "structure.order.pairs",
   "offset": 32768,
   "small": false
  }
 ],
 "texts": {
  "codec.part0.type": "int32",
  "codec.part1.type": "string",
  "codec.type": "composite",
  "included_time_unit": "",
  "part_time_unit0": "",
  "part_time_unit1": "",
  "spec": "btree@cpu,order=auto,threads=all",
  "structure.included.type": "float64",
  "time_unit": "",
  "type": "composite"
 }
}
)",
    {"6e61206874726f6e0000006874756f736e61206874726f6e00000000000000006e72656874756f73"
     "0000006874726f6e",
     "080508000805", "",
     "00000000000000000800000000000000080000000000000010000000000000001000000000000000"
     "15000000000000001500000000000000",
     "64206265796f6e6464206265796f6e642070617274", "",
     "000000000000f83f00000000000012400000000000000c400000000000001640000000000000e03f"
     "0000000000000440",
     "0000000000000000010000009b5c19000000000004000000000000e6a22224430300000000000000"
     "40ffbf7e050000005b18080040ffbf7e000000005b18080040ffbf7e02000000ffffffffffffffff"
     "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
     "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
     "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
     "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
     "ffffffffffffffffffffffffffffffffffffffffffffffff"}};

}  // namespace rtindex::test
