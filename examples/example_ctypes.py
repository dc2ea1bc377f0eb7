"""rtindex from Python by ctypes: pyarrow hands over arrays by their C interface, without a copy.

    python example_ctypes.py librtindex.so

The package `rtindex` does this in C++; the example shows how little a language needs.
"""

import ctypes
import sys

import pyarrow as pa

# The sizes of the structs that pyarrow fills; this program reads none of their fields.
ARROW_SCHEMA, ARROW_ARRAY = 72, 80


class Column(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("schema", ctypes.c_void_p), ("array", ctypes.c_void_p),
                ("device_array", ctypes.c_void_p), ("type", ctypes.c_int32), ("time_unit", ctypes.c_int32),
                ("memory_space", ctypes.c_int32), ("offset_bytes", ctypes.c_int32), ("count", ctypes.c_size_t),
                ("data", ctypes.c_void_p), ("offsets", ctypes.c_void_p), ("width", ctypes.c_size_t),
                ("validity", ctypes.c_void_p), ("validity_offset", ctypes.c_size_t), ("parts", ctypes.c_void_p),
                ("part_count", ctypes.c_size_t), ("name", ctypes.c_char_p),
                ("scale", ctypes.c_int32),
                ("intervals", ctypes.c_int32), ("points", ctypes.c_int32)]


class Query(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("kind", ctypes.c_int32), ("ends", ctypes.c_int32),
                ("direction", ctypes.c_int32), ("exact", ctypes.c_int32), ("lower", ctypes.c_void_p),
                ("upper", ctypes.c_void_p), ("tolerance_type", ctypes.c_int32), ("tolerance_i64", ctypes.c_int64),
                ("tolerance_u64", ctypes.c_uint64), ("tolerance_f64", ctypes.c_double),
                ("filter", ctypes.c_void_p), ("conditions", ctypes.c_void_p),
                ("condition_count", ctypes.c_size_t)]


class AnswerOptions(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("answers", ctypes.c_uint32), ("order", ctypes.c_int32),
                ("limit", ctypes.c_void_p), ("matched", ctypes.c_int32), ("values", ctypes.c_void_p),
                ("miss", ctypes.c_void_p), ("stream", ctypes.c_void_p), ("included", ctypes.c_char_p)]


QUERY_EQUAL, ANSWER_FIRST, ANSWER_ROWS, ORDER_ASCENDING = 0, 2, 64, 1

library = ctypes.CDLL(sys.argv[1])
library.rtindex_last_error.restype = ctypes.c_char_p


def check(status):
    if status != 0:
        raise RuntimeError(library.rtindex_last_error().decode())


def address(memory):
    return ctypes.cast(memory, ctypes.c_void_p).value


class Borrowed:
    """An Arrow array that rtindex may read as long as this lives."""

    def __init__(self, array):
        self.schema = ctypes.create_string_buffer(ARROW_SCHEMA)
        self.array = ctypes.create_string_buffer(ARROW_ARRAY)
        array._export_to_c(address(self.array), address(self.schema))
        self.column = Column(ctypes.sizeof(Column), address(self.schema), address(self.array))

    def __del__(self):
        pa.Array._import_from_c(address(self.array), address(self.schema))  # takes back and releases


class Index:
    def __init__(self, column, spec=None):
        self.handle = ctypes.c_void_p()
        borrowed = Borrowed(column)
        check(library.rtindex_build(ctypes.byref(borrowed.column), spec, None, ctypes.byref(self.handle)))

    def lookup(self, keys, **options):
        borrowed = Borrowed(keys)
        query = Query(ctypes.sizeof(Query), QUERY_EQUAL, lower=ctypes.addressof(borrowed.column))
        wanted = AnswerOptions(ctypes.sizeof(AnswerOptions), **options)
        schema = ctypes.create_string_buffer(ARROW_SCHEMA)
        array = ctypes.create_string_buffer(ARROW_ARRAY)
        check(library.rtindex_answer(self.handle, ctypes.byref(query), ctypes.byref(wanted), None, schema, array))
        return pa.RecordBatch._import_from_c(address(array), address(schema))

    def __del__(self):
        library.rtindex_free(self.handle)


def main():
    print("strings:")
    names = Index(pa.array(["ada", "grace", None, "ada", "barbara"]))
    print(names.lookup(pa.array(["ada", None, "edsger"]), answers=ANSWER_FIRST | ANSWER_ROWS, order=ORDER_ASCENDING,
                       matched=1).to_pydict())

    print("composites:")
    table = pa.table({"year": [1843, 1952, 1843], "name": ["ada", "grace", "ada"]})
    pairs = Index(pa.StructArray.from_arrays([column.combine_chunks() for column in table.columns], table.column_names))
    print(pairs.lookup(pa.array([{"year": 1843, "name": "ada"}]), answers=ANSWER_ROWS,
                       order=ORDER_ASCENDING).to_pydict())

    print("without a copy:")
    keys = pa.array(range(1000))[100:]  # an offset is no copy either
    found = Index(keys).lookup(pa.array([100, 999, 5]), answers=ANSWER_FIRST, matched=1).column("first")
    print(found.to_pylist())

    print("errors:")
    try:
        Index(pa.array([[1], [2]]))
    except RuntimeError as error:
        print(error)


main()
