#ifndef RTINDEX_RTINDEX_H
#define RTINDEX_RTINDEX_H

/// \file
/// The C interface of rtindex, for C and for every language that calls C. docs/c.md explains it by
/// examples.
///
/// - Every call returns a status. If it is not RTINDEX_STATUS_OK, nothing was changed and no object
///   was returned, and `rtindex_last_error()` says what was expected, what was given and what to
///   do. Buffers of the caller, in calls that end with `_into`, may be filled in part.
/// - Every struct begins with its size in bytes: set `struct_size` to `sizeof` of the struct, and
///   whatever you do not need to zero, which is the default of every field. A struct of a newer
///   version of this header than that of the library is rejected.
/// - Input is borrowed: the library reads queries and columns during the call and keeps nothing of
///   them. It never releases an Arrow array or schema of the caller.
/// - Output belongs to the caller: an exported Arrow array or schema is released by its `release`,
///   an index by `rtindex_free`, a text by `rtindex_free_text`.
/// - Any number of threads may use an index at once; `rtindex_free` is the last call for an index.
/// - What a call does in detail is documented in the C++ headers; the names are the same.

#include <stddef.h>
#include <stdint.h>

#include <rtindex/arrow.h>

#if defined(RTINDEX_STATIC)
#define RTINDEX_C_API
#else
#define RTINDEX_C_API __attribute__((visibility("default")))
#endif

/// A function of this header itself, which a program need not call.
#define RTINDEX_C_INLINE static inline __attribute__((unused))

/// The version of this interface: raised when a function or struct of it changes.
#define RTINDEX_ABI_VERSION 1

#ifdef __cplusplus
extern "C" {
#endif

/// What a call returns: one of the constants below.
typedef int32_t rtindex_status;
enum {
  RTINDEX_STATUS_OK = 0,
  RTINDEX_STATUS_INVALID_ARGUMENT = 1,  ///< the call's input is wrong; another input works
  RTINDEX_STATUS_UNSUPPORTED = 2,       ///< this index cannot do it; another index may
  RTINDEX_STATUS_UNAVAILABLE = 3,       ///< a library, driver or device is missing or failed
  RTINDEX_STATUS_OUT_OF_MEMORY = 4,     ///< host or device memory is exhausted
  RTINDEX_STATUS_IO = 5,                ///< a file cannot be read or written
  RTINDEX_STATUS_CORRUPT_FILE = 6,  ///< a file is damaged, truncated, or not of the expected format
  RTINDEX_STATUS_STOPPED = 7,       ///< the callback of rtindex_set_control has stopped it
  RTINDEX_STATUS_INTERNAL = 8       ///< an error of the library itself; please report it
};

/// The type of a column's elements in memory without Arrow. 0 is no type.
enum {
  RTINDEX_TYPE_UINT8 = 1,
  RTINDEX_TYPE_UINT16 = 2,
  RTINDEX_TYPE_UINT32 = 3,
  RTINDEX_TYPE_UINT64 = 4,
  RTINDEX_TYPE_INT8 = 5,
  RTINDEX_TYPE_INT16 = 6,
  RTINDEX_TYPE_INT32 = 7,
  RTINDEX_TYPE_INT64 = 8,
  RTINDEX_TYPE_BOOL = 9,          ///< one byte each, zero is false
  RTINDEX_TYPE_DATE32 = 10,       ///< days since 1970-01-01 in an int32
  RTINDEX_TYPE_TIMESTAMP64 = 11,  ///< ticks of `time_unit` since 1970-01-01 in an int64
  RTINDEX_TYPE_FLOAT32 = 12,
  RTINDEX_TYPE_FLOAT64 = 13,
  RTINDEX_TYPE_STRING = 14,      ///< bytes between offsets, compared as unsigned chars
  RTINDEX_TYPE_COMPOSITE = 15,   ///< several columns compared in lexicographic order
  RTINDEX_TYPE_FLOAT16 = 16,     ///< IEEE 754 binary16
  RTINDEX_TYPE_TIME32 = 17,      ///< time of day: ticks of `time_unit` since midnight in an int32
  RTINDEX_TYPE_TIME64 = 18,      ///< time of day in an int64
  RTINDEX_TYPE_DURATION64 = 19,  ///< ticks of `time_unit` in an int64
  RTINDEX_TYPE_DECIMAL32 = 20,   ///< an int32 times 10^-scale
  RTINDEX_TYPE_DECIMAL64 = 21,   ///< an int64 times 10^-scale
  RTINDEX_TYPE_DECIMAL128 = 22,  ///< a 128-bit integer times 10^-scale
  RTINDEX_TYPE_INT128 = 23,      ///< two's complement, the low 64 bits first
  RTINDEX_TYPE_UINT128 = 24,     ///< the low 64 bits first
  RTINDEX_TYPE_BINARY16 = 25     ///< 16 bytes compared as unsigned chars, such as UUIDs
};

/// The unit of the ticks of timestamps, times of day and durations.
enum {
  RTINDEX_TIME_UNIT_UNSPECIFIED = 0,  ///< compares with every unit, tick by tick
  RTINDEX_TIME_UNIT_DAY = 1,
  RTINDEX_TIME_UNIT_HOUR = 2,
  RTINDEX_TIME_UNIT_MINUTE = 3,
  RTINDEX_TIME_UNIT_SECOND = 4,
  RTINDEX_TIME_UNIT_MILLISECOND = 5,
  RTINDEX_TIME_UNIT_MICROSECOND = 6,
  RTINDEX_TIME_UNIT_NANOSECOND = 7
};

/// The memory that holds an array.
enum {
  RTINDEX_MEMORY_SPACE_HOST = 0,   ///< memory that the CPU reads
  RTINDEX_MEMORY_SPACE_DEVICE = 1  ///< memory of the GPU that the index is on
};

/// What to return for each query; several are combined by `|`. Sums, minima and maxima are uint64,
/// int64 or float64 by the type of the values.
enum {
  RTINDEX_ANSWER_ANY = 1,        ///< one matching rowID (uint32)
  RTINDEX_ANSWER_FIRST = 2,      ///< the smallest matching rowID (uint32)
  RTINDEX_ANSWER_COUNT = 4,      ///< the number of matching rows (uint32)
  RTINDEX_ANSWER_SUM = 8,        ///< the sum of the values at the matching rowIDs
  RTINDEX_ANSWER_MIN = 16,       ///< the smallest of these values
  RTINDEX_ANSWER_MAX = 32,       ///< the largest of these values
  RTINDEX_ANSWER_ROWS = 64,      ///< all matching rowIDs (a list of uint32)
  RTINDEX_ANSWER_KEY = 128,      ///< the key of the neighbour, of RTINDEX_QUERY_NEAREST only
  RTINDEX_ANSWER_MEAN = 256,     ///< the mean of the values (float64)
  RTINDEX_ANSWER_LAST = 512,     ///< the greatest matching rowID (uint32)
  RTINDEX_ANSWER_BITMAP = 1024,  ///< the rows that match any query; see rtindex_answer_bitmap
  RTINDEX_ANSWER_BITMAPS = 2048  ///< the rows that match each query; see rtindex_outputs
};

/// The rowID of a query without a match, for RTINDEX_ANSWER_ANY, _FIRST and _LAST.
#define RTINDEX_MISS_ROW UINT32_MAX

/// The kind of a query.
enum {
  RTINDEX_QUERY_EQUAL = 0,     ///< rows whose key equals those of `lower`
  RTINDEX_QUERY_RANGE = 1,     ///< rows whose key lies between `lower` and `upper`
  RTINDEX_QUERY_PREFIX = 2,    ///< rows whose string begins with those of `lower`
  RTINDEX_QUERY_NEAREST = 3,   ///< rows with the closest key before or after those of `lower`
  RTINDEX_QUERY_CONTAINS = 4,  ///< rows whose interval contains those of `lower`
  RTINDEX_QUERY_OVERLAPS = 5,  ///< rows whose interval overlaps the range of `lower` and `upper`
  RTINDEX_QUERY_WITHIN = 6,    ///< rows whose interval lies within this range
  RTINDEX_QUERY_COVERS = 7,    ///< rows whose interval covers this range
  RTINDEX_QUERY_BOX = 8        ///< rows whose values meet a condition on each of several columns
};

/// What a box query requires of the values of a column.
enum {
  RTINDEX_CONDITION_NONE = 0,     ///< nothing: every row matches, those with a null too
  RTINDEX_CONDITION_RANGE = 1,    ///< they lie between `lower` and `upper`; a null does not
  RTINDEX_CONDITION_IS_NULL = 2,  ///< they are null
  RTINDEX_CONDITION_ISIN = 3      ///< they equal one of `lower`
};

/// Whether a composite column is one of intervals, and which ends belong to them. The last two
/// parts are their starts and ends, the others leading columns, which queries must equal.
enum {
  RTINDEX_INTERVALS_NONE = 0,        ///< composite keys
  RTINDEX_INTERVALS_CLOSED = 1,      ///< [start, end]
  RTINDEX_INTERVALS_RIGHT_OPEN = 2,  ///< [start, end)
  RTINDEX_INTERVALS_LEFT_OPEN = 3,   ///< (start, end]
  RTINDEX_INTERVALS_OPEN = 4         ///< (start, end)
};

/// Which ends belong to a range.
enum {
  RTINDEX_ENDS_CLOSED = 0,      ///< [lower, upper]
  RTINDEX_ENDS_RIGHT_OPEN = 1,  ///< [lower, upper)
  RTINDEX_ENDS_LEFT_OPEN = 2,   ///< (lower, upper]
  RTINDEX_ENDS_OPEN = 3         ///< (lower, upper)
};

/// The order of the rowIDs that RTINDEX_ANSWER_ROWS returns for a query.
enum {
  RTINDEX_ORDER_ANY = 0,        ///< as they are found
  RTINDEX_ORDER_ASCENDING = 1,  ///< by key, rows of equal keys by rowID
  RTINDEX_ORDER_DESCENDING = 2  ///< the reverse
};

/// Where to search for the neighbour of a key.
enum {
  RTINDEX_DIRECTION_BACKWARD = 0,  ///< the greatest key that is not above
  RTINDEX_DIRECTION_FORWARD = 1,   ///< the smallest key that is not below
  RTINDEX_DIRECTION_NEAREST = 2    ///< the closer of the two; if both are as close, the one before
};

/// Whether an equal key is a neighbour.
enum {
  RTINDEX_EXACT_ALLOWED = 0,  ///< an equal key is the closest one
  RTINDEX_EXACT_EXCLUDED = 1  ///< only a key before or after it is
};

/// Which pairs of queries and rows a join returns.
enum {
  RTINDEX_JOIN_INNER = 0,  ///< every query with each row that it matches
  RTINDEX_JOIN_LEFT = 1,   ///< inner, and queries without a match once, with RTINDEX_MISS_ROW
  RTINDEX_JOIN_SEMI = 2,   ///< the queries that have a match, without rows
  RTINDEX_JOIN_ANTI = 3    ///< the queries that have none, without rows
};

/// In which order a join returns its pairs.
enum {
  RTINDEX_JOIN_ORDER_LOOKUPS = 0,  ///< in the order of the queries
  RTINDEX_JOIN_ORDER_ANY = 1       ///< in whichever order is fastest
};

/// An index over one column.
typedef struct rtindex_index rtindex_index;

/// An array of keys or values: an Arrow array, or memory without Arrow.
///
/// Arrow: `schema` with `array` (host memory) or `device_array` (its `device_type` says where; the
/// call waits for its `sync_event` on the GPU). Native types, decimals of up to 128 bits, dates,
/// times, durations, (large) strings and binary, string views and fixed-size binary, and
/// dictionaries of these; a struct is a composite key. Nothing is copied, except bools, which are
/// unpacked, and numbers of a dictionary. Nulls never match. Buffers must be those of the schema.
///
/// Memory without Arrow: leave `schema` null and set `type`, `count` and `data`. Strings also need
/// `offsets`, count + 1 of them, of `offset_bytes` bytes each. Strings of one length need `width`
/// instead, their bytes, of which trailing NULs do not count. A composite has `parts` instead of
/// data, each of them with or without Arrow.
typedef struct rtindex_column {
  size_t struct_size;
  const struct ArrowSchema* schema;
  const struct ArrowArray* array;
  const struct ArrowDeviceArray* device_array;
  int32_t type;          ///< RTINDEX_TYPE_UINT8 and so on
  int32_t time_unit;     ///< of timestamps, times of day and durations
  int32_t memory_space;  ///< RTINDEX_MEMORY_SPACE_HOST, or RTINDEX_MEMORY_SPACE_DEVICE: all
                         ///< pointers are device pointers
  int32_t offset_bytes;  ///< of strings: 4 or 8
  size_t count;
  const void* data;
  const void* offsets;
  size_t width;
  const uint8_t* validity;  ///< a bitmap, least significant bit first, bit set: valid; or null
  size_t validity_offset;   ///< the bit of element 0
  const struct rtindex_column* parts;
  size_t part_count;
  const char* name;   ///< of an included column; may be null. Arrow columns have it in their schema
  int32_t scale;      ///< the digits of decimals behind the point
  int32_t intervals;  ///< of a composite, or of an Arrow struct: RTINDEX_INTERVALS_NONE, ...
  int32_t points;     ///< 1: a composite, or an Arrow struct, of 2 to 8 columns is one of points
} rtindex_column;

/// The allocator of indexes on a GPU, in place of a pool of cudaMallocAsync. Called from many
/// threads at once, with the index's GPU current; memory is used in stream order. Copied by the
/// call that it is passed to; `destroy`, if not null, is called once when nothing uses the
/// allocator any more.
typedef struct rtindex_device_memory {
  size_t struct_size;
  void* context;  ///< passed to each function
  /// Device memory aligned to 256 bytes; null where there is not enough.
  void* (*allocate)(void* context, size_t bytes, void* stream);
  /// Frees memory of `allocate`.
  void (*release)(void* context, void* memory, size_t bytes, void* stream);
  void (*destroy)(void* context);
} rtindex_device_memory;

/// Settings of a build.
typedef struct rtindex_build_options {
  size_t struct_size;
  /// Values to keep in the index, one per row: sum, mean, min and max then need no value column.
  /// One column, or a composite (in Arrow a struct) of several, each with a name.
  const rtindex_column* include;
  void* stream;  ///< the cudaStream_t on which a column in device memory may still be written
  const rtindex_device_memory* device_memory;
} rtindex_build_options;

/// How to open a saved index.
typedef struct rtindex_load_options {
  size_t struct_size;
  int32_t verify;  ///< 1: every byte is compared with its checksum; 0: the header only
  const rtindex_device_memory* device_memory;
} rtindex_load_options;

/// What sum, min and max return for a query without a match, by the class of the value type; mean
/// returns f64. Set all fields: 0 is a value here.
typedef struct rtindex_miss_values {
  size_t struct_size;
  uint64_t u64;
  int64_t i64;
  double f64;
} rtindex_miss_values;

/// The work of one call. What an index does not count is 0.
typedef struct rtindex_counters {
  size_t struct_size;
  uint64_t rays;    ///< rays that were cast (rx:optix, rx:embree)
  uint64_t cells;   ///< cells of the grid, or groups of them, that were read (rx:native)
  uint64_t tested;  ///< keys that were compared with those of queries
  uint64_t hits;    ///< hits that the tracer reported
} rtindex_counters;

/// Measurements of one call, for benchmarks. Null: not measured. An index that cannot measure one
/// of them returns RTINDEX_STATUS_UNSUPPORTED.
typedef struct rtindex_diagnostics {
  size_t struct_size;
  rtindex_counters* counters;  ///< of `rx`; classic indexes do not count
  double* ray_ms;              ///< milliseconds of the rays on the GPU, of `rx:optix`
} rtindex_diagnostics;

/// A row bitmap in Arrow's layout: bit `offset + i` belongs to row i, least significant bit first.
/// An Arrow boolean array without nulls is one: `buffers[1]`, `offset` and `length`.
typedef struct rtindex_bitmap {
  size_t struct_size;
  const uint8_t* bits;
  size_t rows;
  size_t offset;         ///< the bit of row 0
  int32_t memory_space;  ///< RTINDEX_MEMORY_SPACE_HOST or RTINDEX_MEMORY_SPACE_DEVICE
} rtindex_bitmap;

/// The condition of a batch of box queries on one column of points. The ends of a range have one
/// element for each query, or one for all of them; the values of `isin` are those of all queries.
typedef struct rtindex_condition {
  size_t struct_size;
  int32_t kind;                 ///< RTINDEX_CONDITION_NONE, ...
  int32_t ends;                 ///< of ranges: RTINDEX_ENDS_CLOSED, ...
  const rtindex_column* lower;  ///< of ranges, null: no bound; or the values of `isin`
  const rtindex_column* upper;  ///< of ranges; null: no bound
} rtindex_condition;

/// A batch of queries of one kind. `rtindex_query_equal` and its relatives below set the fields;
/// other languages, which cannot call them, set the fields themselves.
typedef struct rtindex_query {
  size_t struct_size;
  int32_t kind;                 ///< RTINDEX_QUERY_EQUAL, ...
  int32_t ends;                 ///< of ranges, of intervals as well: RTINDEX_ENDS_CLOSED, ...
  int32_t direction;            ///< of neighbours: RTINDEX_DIRECTION_BACKWARD, ...
  int32_t exact;                ///< of neighbours: RTINDEX_EXACT_ALLOWED, ...
  const rtindex_column* lower;  ///< the keys, the prefixes, or the lower ends of ranges
  const rtindex_column* upper;  ///< the upper ends of ranges; null for all other kinds
  /// The largest distance of a neighbour. RTINDEX_TYPE_INT64, RTINDEX_TYPE_UINT64 or
  /// RTINDEX_TYPE_FLOAT64 names the field that holds it, in the unit of the column; 0: unlimited.
  int32_t tolerance_type;
  int64_t tolerance_i64;
  uint64_t tolerance_u64;
  double tolerance_f64;
  const rtindex_bitmap* filter;         ///< the rows that may match, a bit for each; null: all rows
  const rtindex_condition* conditions;  ///< of boxes: one for each column, the last may be unset
  size_t condition_count;
} rtindex_query;

/// A query with these fields and none of the others.
RTINDEX_C_INLINE rtindex_query rtindex_query_of(int32_t kind, int32_t ends, int32_t direction,
                                                const rtindex_column* lower,
                                                const rtindex_column* upper) {
  const rtindex_query query = {
      sizeof(rtindex_query), kind, ends, direction, 0, lower, upper, 0, 0, 0, 0, NULL, NULL, 0};
  return query;
}
/// Rows whose key equals those of `keys`.
RTINDEX_C_INLINE rtindex_query rtindex_query_equal(const rtindex_column* keys) {
  return rtindex_query_of(RTINDEX_QUERY_EQUAL, 0, 0, keys, NULL);
}
/// Rows whose key lies between `lower` and `upper`. One of them may be null: no bound.
RTINDEX_C_INLINE rtindex_query rtindex_query_range(const rtindex_column* lower,
                                                   const rtindex_column* upper, int32_t ends) {
  return rtindex_query_of(RTINDEX_QUERY_RANGE, ends, 0, lower, upper);
}
/// Rows whose string begins with those of `prefixes`.
RTINDEX_C_INLINE rtindex_query rtindex_query_prefix(const rtindex_column* prefixes) {
  return rtindex_query_of(RTINDEX_QUERY_PREFIX, 0, 0, prefixes, NULL);
}
/// Rows with the closest key, or all with the closest interval, before or after those of `keys`;
/// set `exact` and the tolerance afterwards.
RTINDEX_C_INLINE rtindex_query rtindex_query_nearest(const rtindex_column* keys,
                                                     int32_t direction) {
  return rtindex_query_of(RTINDEX_QUERY_NEAREST, 0, direction, keys, NULL);
}

/// Rows whose values meet `count` conditions, on the first columns of the points.
RTINDEX_C_INLINE rtindex_query rtindex_query_box(const rtindex_condition* conditions,
                                                 size_t count) {
  rtindex_query query = rtindex_query_of(RTINDEX_QUERY_BOX, 0, 0, NULL, NULL);
  query.conditions = conditions;
  query.condition_count = count;
  return query;
}
/// Rows whose interval contains those of `keys`.
RTINDEX_C_INLINE rtindex_query rtindex_query_contains(const rtindex_column* keys) {
  return rtindex_query_of(RTINDEX_QUERY_CONTAINS, 0, 0, keys, NULL);
}
/// Rows whose interval overlaps the range of `lower` and `upper`, of which one may be null: no
/// bound.
RTINDEX_C_INLINE rtindex_query rtindex_query_overlaps(const rtindex_column* lower,
                                                      const rtindex_column* upper, int32_t ends) {
  return rtindex_query_of(RTINDEX_QUERY_OVERLAPS, ends, 0, lower, upper);
}
/// Rows whose interval lies within that range.
RTINDEX_C_INLINE rtindex_query rtindex_query_within(const rtindex_column* lower,
                                                    const rtindex_column* upper, int32_t ends) {
  return rtindex_query_of(RTINDEX_QUERY_WITHIN, ends, 0, lower, upper);
}
/// Rows whose interval covers that range.
RTINDEX_C_INLINE rtindex_query rtindex_query_covers(const rtindex_column* lower,
                                                    const rtindex_column* upper, int32_t ends) {
  return rtindex_query_of(RTINDEX_QUERY_COVERS, ends, 0, lower, upper);
}

/// What a call returns for each query. All answers are found in one pass.
typedef struct rtindex_answer_options {
  size_t struct_size;
  uint32_t answers;       ///< RTINDEX_ANSWER_ANY | ...; 0: RTINDEX_ANSWER_ANY
  int32_t order;          ///< of RTINDEX_ANSWER_ROWS: RTINDEX_ORDER_ANY, ...
  const uint32_t* limit;  ///< of RTINDEX_ANSWER_ROWS: at most so many rowIDs per query; null: all
  /// 1: misses are null in the exported any, first, last, sum, mean, min and max; so are the last
  /// four where all values are null.
  int32_t matched;
  /// The value column of sum, mean, min and max: one value per row of the index. Null: included
  /// values.
  const rtindex_column* values;
  const rtindex_miss_values* miss;  ///< null: all ones, the smallest int64, NaN
  void* stream;                     ///< the cudaStream_t of a call on device memory
  const char* included;  ///< the name of the included column to aggregate; null: the only one
} rtindex_answer_options;

/// Buffers of the caller that receive answers. Null: not requested. Each has one element per query;
/// `sum`, `min` and `max` are uint64, int64 or float64 by the value type, and sums of integers and
/// decimals beyond 64 bits wrap around; `matched` has (n + 7) / 8 bytes. For rows, call once with
/// only `offsets` (n + 1 entries) to size the buffer: offsets[n] is the number of rowIDs. A buffer
/// that is too small receives the first `rows_capacity` of them, and `offsets` are those of all.
typedef struct rtindex_outputs {
  size_t struct_size;
  uint32_t* any;
  uint32_t* first;
  uint32_t* count;
  void* sum;
  void* min;
  void* max;
  uint8_t* matched;
  uint64_t* offsets;
  uint32_t* rows;
  size_t rows_capacity;
  void* key;             ///< of neighbours, in the type of a native column
  int32_t memory_space;  ///< of all these buffers
  uint32_t* last;
  double* mean;
  uint8_t* validity;  ///< a bitmap of the queries with a value that is not null
  /// The rows that match any query: (bitmap_rows + 7) / 8 bytes; `bitmaps` has as many for each
  /// query. Where `bitmap_rows` is less than the rows of the index, those after it are not written.
  uint8_t* bitmap;
  uint8_t* bitmaps;
  size_t bitmap_rows;
} rtindex_outputs;

/// What a join returns.
typedef struct rtindex_join_options {
  size_t struct_size;
  int32_t how;    ///< RTINDEX_JOIN_INNER, ...
  int32_t order;  ///< RTINDEX_JOIN_ORDER_LOOKUPS, ...
  void* stream;   ///< the cudaStream_t of a call on device memory
} rtindex_join_options;

/// Buffers of the caller that receive a join. Call once with only `count` to size them. Buffers
/// that are too small receive the first `capacity` pairs (in any order, so many of them), and
/// `count` is the number of all.
typedef struct rtindex_join_outputs {
  size_t struct_size;
  uint64_t* lookups;     ///< the position in the batch of each pair
  uint32_t* rows;        ///< its row; unused by semi and anti joins
  size_t capacity;       ///< the size of both in pairs
  uint64_t* count;       ///< one number, required: how many pairs there are
  int32_t memory_space;  ///< of all these buffers
} rtindex_join_outputs;

/// Receives a batch of a join: `count` pairs; `rows` is null for semi and anti joins. The arrays
/// are valid during the call. A status other than RTINDEX_STATUS_OK ends the join, which returns
/// it.
typedef rtindex_status (*rtindex_join_callback)(void* context, const uint64_t* lookups,
                                                const uint32_t* rows, size_t count);

/// Stops calls and reports how far they are; see `rtindex_set_control`.
typedef struct rtindex_control {
  size_t struct_size;
  /// Called with the share of the work that is done, from 0 to 1, on the thread of the call: every
  /// `interval_ms` at most, and once with 1 when the work is done, before anything is changed. It
  /// must not change the index. Any result but 0 stops the call, which returns
  /// RTINDEX_STATUS_STOPPED.
  int32_t (*progress)(void* context, double fraction);
  void* context;        ///< passed to `progress`
  int32_t interval_ms;  ///< the shortest time between two calls of `progress`; 0: 50 ms
} rtindex_control;

/// Facts about an index.
typedef struct rtindex_info {
  size_t struct_size;
  uint64_t rows;              ///< null and erased ones included: one more than the greatest rowID
  uint64_t valid;             ///< rows that are neither erased nor null
  int32_t type;               ///< of the column
  int32_t time_unit;          ///< of timestamps, times of day and durations
  int32_t included;           ///< the type of the first included column; 0: none
  int32_t included_unit;      ///< the unit of its timestamps, times of day and durations
  uint64_t part_count;        ///< of a composite column; else 0
  uint64_t resident_bytes;    ///< memory held as long as the index lives
  uint64_t build_peak_bytes;  ///< the most held at once while it was built
  uint64_t included_count;    ///< the number of included columns
  int32_t scale;              ///< the digits of decimals behind the point
  int32_t included_scale;     ///< those of the first included column
} rtindex_info;

/// What a library was built with.
typedef struct rtindex_build_information {
  size_t struct_size;
  int32_t abi_version;     ///< RTINDEX_ABI_VERSION of the library
  int32_t checks_handles;  ///< 1: a debug build, where the use of a freed index is an error
  const char* version;     ///< "0.1.0"
  const char* cuda;        ///< the version of the CUDA toolkit; null: built without
  const char* optix;       ///< the version of OptiX; null: built without
  const char* embree;      ///< the version of Embree; null: built without
} rtindex_build_information;

/* Errors and versions. Texts belong to the library. */

/// The message of this thread's last call that failed; "" where none did. Valid until the next one.
RTINDEX_C_API const char* rtindex_last_error(void);
/// The status of that call.
RTINDEX_C_API rtindex_status rtindex_last_status(void);
/// The name of a status ("invalid_argument", "io", ...).
RTINDEX_C_API const char* rtindex_status_name(rtindex_status status);
/// What the library was built with.
RTINDEX_C_API rtindex_status rtindex_get_build_information(rtindex_build_information* information);
/// The build information as lines of text, as `rtindex --version` prints them.
RTINDEX_C_API const char* rtindex_build_text(void);
/// Frees a text that a call returned; null is fine.
RTINDEX_C_API void rtindex_free_text(char* text);

/// Controls all later calls of this thread; null: no longer. `control` is copied. Builds, queries,
/// joins, files and changes can be stopped; a merge in the background is not affected.
RTINDEX_C_API rtindex_status rtindex_set_control(const rtindex_control* control);

/* Specs and the indexes of this machine. */

/// Checks a spec such as "rx:embree@cpu,mode=3d", and returns it in its normal form.
RTINDEX_C_API rtindex_status rtindex_check_spec(const char* spec, char** normal);
/// The spec that "auto" stands for on this machine: rx:native on a GPU where one is available, else
/// on the CPU.
RTINDEX_C_API rtindex_status rtindex_default_spec(char** spec);
/// Every index that a spec can name, as an array of structs: spec (string), available (bool),
/// reason (string).
RTINDEX_C_API rtindex_status rtindex_indexes(struct ArrowSchema* schema, struct ArrowArray* array);
/// Every option of specs, as an array of structs of strings: name, choices, meaning.
RTINDEX_C_API rtindex_status rtindex_spec_options(struct ArrowSchema* schema,
                                                  struct ArrowArray* array);

/* Making and freeing indexes. `index` receives a new index, which `rtindex_free` frees. */

/// Builds an index over a column, of which it copies what it needs. `spec` may be null: "auto".
/// `options` may be null.
RTINDEX_C_API rtindex_status rtindex_build(const rtindex_column* column, const char* spec,
                                           const rtindex_build_options* options,
                                           rtindex_index** index);
/// Frees an index; null is fine. What was exported from it stays valid.
RTINDEX_C_API rtindex_status rtindex_free(rtindex_index* index);
/// An independent index with the same content, on the same device.
RTINDEX_C_API rtindex_status rtindex_copy(const rtindex_index* index, rtindex_index** copy);
/// An index with the current content that shares memory; made in constant time.
RTINDEX_C_API rtindex_status rtindex_snapshot(const rtindex_index* index, rtindex_index** snapshot);
/// Writes the index to a file, which appears whole or not at all.
RTINDEX_C_API rtindex_status rtindex_save(const rtindex_index* index, const char* path);
/// Opens a saved index. `options` may be null.
RTINDEX_C_API rtindex_status rtindex_load(const char* path, const rtindex_load_options* options,
                                          rtindex_index** index);
/// The bytes that `rtindex_save` writes, as an Arrow array of uint8. `schema` may be null.
RTINDEX_C_API rtindex_status rtindex_serialize(const rtindex_index* index,
                                               struct ArrowSchema* schema,
                                               struct ArrowArray* bytes);
/// An index from such bytes, which are copied.
RTINDEX_C_API rtindex_status rtindex_deserialize(const void* bytes, size_t count,
                                                 const rtindex_load_options* options,
                                                 rtindex_index** index);

/* Queries. `options` and `diagnostics` may be null. */

/// Answers a batch. `array` is a struct array with one entry per query and one child per answer,
/// named any, first, last, count, sum, mean, min, max, rows and key, in this order, for those that
/// were requested; `schema` receives its type and may be null. The queries are in host memory.
/// `min` and `max` of decimals, dates, times and durations have the type of the values, and so has
/// `sum` of decimals and durations; decimals have 128 bits.
RTINDEX_C_API rtindex_status rtindex_answer(const rtindex_index* index, const rtindex_query* query,
                                            const rtindex_answer_options* options,
                                            const rtindex_diagnostics* diagnostics,
                                            struct ArrowSchema* schema, struct ArrowArray* array);
/// `rtindex_answer` with queries and answers in the memory of a GPU. The work is queued on
/// `options->stream`, and `array->sync_event` completes with it; the queries must live until then.
/// RTINDEX_ANSWER_ROWS waits for a part of the work. Release the array only when nothing reads it
/// any more. Queries in host memory are answered in host memory. `sum`, `min` and `max` of decimals
/// are int64 on a GPU, and so are `min` and `max` of dates and of times of 32 bits.
RTINDEX_C_API rtindex_status rtindex_answer_device(const rtindex_index* index,
                                                   const rtindex_query* query,
                                                   const rtindex_answer_options* options,
                                                   const rtindex_diagnostics* diagnostics,
                                                   struct ArrowSchema* schema,
                                                   struct ArrowDeviceArray* array);
/// `rtindex_answer` into buffers of the caller. The answers are those whose buffers are set;
/// `options->answers` and `options->matched` are ignored. With queries and buffers in device memory
/// the work is only queued on `options->stream`.
RTINDEX_C_API rtindex_status rtindex_answer_into(const rtindex_index* index,
                                                 const rtindex_query* query,
                                                 const rtindex_answer_options* options,
                                                 const rtindex_diagnostics* diagnostics,
                                                 const rtindex_outputs* outputs);

/// The rows that match any query of a batch, as an array of bool with an entry for each row of the
/// index. `schema` may be null. Of `options` only the stream is read.
RTINDEX_C_API rtindex_status rtindex_answer_bitmap(const rtindex_index* index,
                                                   const rtindex_query* query,
                                                   const rtindex_answer_options* options,
                                                   struct ArrowSchema* schema,
                                                   struct ArrowArray* array);

/* Operations on bitmaps of the same length in one memory space. `out` receives (rows + 7) / 8 bytes
   there; in device memory the work is queued on `stream`. */

/// The rows of both.
RTINDEX_C_API rtindex_status rtindex_bitmap_and(const rtindex_bitmap* a, const rtindex_bitmap* b,
                                                uint8_t* out, void* stream);
/// The rows of either.
RTINDEX_C_API rtindex_status rtindex_bitmap_or(const rtindex_bitmap* a, const rtindex_bitmap* b,
                                               uint8_t* out, void* stream);
/// The rows of `a` that `b` does not have.
RTINDEX_C_API rtindex_status rtindex_bitmap_and_not(const rtindex_bitmap* a,
                                                    const rtindex_bitmap* b, uint8_t* out,
                                                    void* stream);
/// How many rows are set. Waits for the work on `stream`.
RTINDEX_C_API rtindex_status rtindex_bitmap_count(const rtindex_bitmap* bitmap, void* stream,
                                                  uint64_t* count);

/* Joins of queries with the rows that they match. `options` may be null: an inner join. */

/// Returns a struct array with one entry per pair: lookups (uint64), rows (uint32); semi and anti
/// joins have lookups only. `schema` may be null.
RTINDEX_C_API rtindex_status rtindex_join(const rtindex_index* index, const rtindex_query* query,
                                          const rtindex_join_options* options,
                                          struct ArrowSchema* schema, struct ArrowArray* array);
/// `rtindex_join` with queries and pairs in the memory of a GPU; waits for a part of the work.
/// Queries in host memory are joined in host memory.
RTINDEX_C_API rtindex_status rtindex_join_device(const rtindex_index* index,
                                                 const rtindex_query* query,
                                                 const rtindex_join_options* options,
                                                 struct ArrowSchema* schema,
                                                 struct ArrowDeviceArray* array);
/// `rtindex_join` into buffers of the caller. With queries and buffers in device memory the work is
/// only queued on `options->stream`.
RTINDEX_C_API rtindex_status rtindex_join_into(const rtindex_index* index,
                                               const rtindex_query* query,
                                               const rtindex_join_options* options,
                                               const rtindex_join_outputs* outputs);
/// `rtindex_join` in batches of at most `max_pairs` pairs, each passed to `callback` with
/// `context`. Some may be empty. The pairs are in host memory.
RTINDEX_C_API rtindex_status rtindex_join_batches(const rtindex_index* index,
                                                  const rtindex_query* query,
                                                  const rtindex_join_options* options,
                                                  size_t max_pairs, rtindex_join_callback callback,
                                                  void* context);
/// `rtindex_join_batches` with queries and pairs in the memory of a GPU: the pairs are complete for
/// work on `options->stream` that the callback queues, and are overwritten on that stream after it
/// returns. A batch has at most 2^24 pairs. Queries in host memory are joined in host memory.
RTINDEX_C_API rtindex_status rtindex_join_batches_device(
    const rtindex_index* index, const rtindex_query* query, const rtindex_join_options* options,
    size_t max_pairs, rtindex_join_callback callback, void* context);

/* Order. Each returns an array of uint32; `schema` may be null. */

/// How many rows hold a smaller key than each of `keys`.
RTINDEX_C_API rtindex_status rtindex_rank(const rtindex_index* index, const rtindex_column* keys,
                                          struct ArrowSchema* schema, struct ArrowArray* array);
/// The row at each rank, in the order of keys; RTINDEX_MISS_ROW beyond the last.
RTINDEX_C_API rtindex_status rtindex_select(const rtindex_index* index, const rtindex_column* ranks,
                                            struct ArrowSchema* schema, struct ArrowArray* array);
/// The rows whose key is null, ascending.
RTINDEX_C_API rtindex_status rtindex_null_rows(const rtindex_index* index,
                                               struct ArrowSchema* schema,
                                               struct ArrowArray* array);

/* Changes. Each is atomic. `stream`: the cudaStream_t on which columns in device memory may still
   be written; else null. */

/// Appends rows with these keys, and `values` where the index includes values (else null): one
/// column, or a composite of all included columns, each with its name, in any order. Writes the
/// rowID of the first one to `first_row` if that is not null.
RTINDEX_C_API rtindex_status rtindex_insert(rtindex_index* index, const rtindex_column* keys,
                                            const rtindex_column* values, void* stream,
                                            uint32_t* first_row);
/// Erases rows, named by uint32 rowIDs.
RTINDEX_C_API rtindex_status rtindex_erase(rtindex_index* index, const rtindex_column* rows,
                                           void* stream);
/// Erases every row that holds one of these keys; writes how many to `erased` if that is not null.
RTINDEX_C_API rtindex_status rtindex_erase_keys(rtindex_index* index, const rtindex_column* keys,
                                                void* stream, uint64_t* erased);
/// Replaces the keys of rows: `rows[i]` now holds `keys[i]`.
RTINDEX_C_API rtindex_status rtindex_update(rtindex_index* index, const rtindex_column* rows,
                                            const rtindex_column* keys, void* stream);
/// Replaces the values of rows in the included column of this name; null: the only one.
RTINDEX_C_API rtindex_status rtindex_set_included(rtindex_index* index, const rtindex_column* rows,
                                                  const rtindex_column* values, const char* name,
                                                  void* stream);
/// Merges what changes have added into one structure.
RTINDEX_C_API rtindex_status rtindex_merge(rtindex_index* index);

/* About an index. */

/// Rows, types and memory.
RTINDEX_C_API rtindex_status rtindex_get_info(const rtindex_index* index, rtindex_info* info);
/// The Arrow type in which keys are returned: that of the column, with the parts of a composite and
/// the units of timestamps, but without names and time zones. Strings are large_binary.
RTINDEX_C_API rtindex_status rtindex_column_schema(const rtindex_index* index,
                                                   struct ArrowSchema* schema);
/// The full spec, which builds the same index again.
RTINDEX_C_API rtindex_status rtindex_spec(const rtindex_index* index, char** spec);
/// What the index consists of, which choices were made and why, for a person.
RTINDEX_C_API rtindex_status rtindex_describe(const rtindex_index* index, char** text);
/// Writes to `supported` whether the index has one answer (RTINDEX_ANSWER_ANY, ...) for a kind of
/// query (RTINDEX_QUERY_EQUAL, ...).
RTINDEX_C_API rtindex_status rtindex_supports(const rtindex_index* index, uint32_t answer,
                                              int32_t kind, int32_t* supported);
/// The included columns, as an array of structs: name (string), type (int32, RTINDEX_TYPE_UINT8 and
/// so on), time_unit (int32).
RTINDEX_C_API rtindex_status rtindex_included_columns(const rtindex_index* index,
                                                      struct ArrowSchema* schema,
                                                      struct ArrowArray* array);
/// What the memory is made of, as an array of structs: name (string), bytes (uint64).
RTINDEX_C_API rtindex_status rtindex_memory_parts(const rtindex_index* index,
                                                  struct ArrowSchema* schema,
                                                  struct ArrowArray* array);
/// The steps of the last build (rx:optix), as an array of structs: name (string), value
/// (float64).
RTINDEX_C_API rtindex_status rtindex_build_profile(const rtindex_index* index,
                                                   struct ArrowSchema* schema,
                                                   struct ArrowArray* array);
/// Stores a text with the index, in its file too; an empty one removes the entry.
RTINDEX_C_API rtindex_status rtindex_set_metadata(rtindex_index* index, const char* name,
                                                  const char* text);
/// The texts that were stored, as an array of structs of strings: name, text.
RTINDEX_C_API rtindex_status rtindex_metadata(const rtindex_index* index,
                                              struct ArrowSchema* schema, struct ArrowArray* array);

#ifdef __cplusplus
}
#endif

#endif
