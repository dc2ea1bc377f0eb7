"""Relations of DuckDB as tables of Arrow, which has no UUIDs and no order of an ENUM."""

from __future__ import annotations

from typing import Any


def table_of(relation: Any) -> Any:
    """The rows: UUIDs as binaries of 16 bytes, and values of an ENUM as ordered dictionaries."""
    import pyarrow

    table = relation.to_arrow_table()
    for i, kind in enumerate(map(str, relation.types)):
        column = table.column(i)
        if kind == "UUID" and pyarrow.types.is_string(column.type):
            held: Any = pyarrow.array([text if text is None else bytes.fromhex(text.replace("-", ""))
                                       for text in column.to_pylist()], pyarrow.binary(16))
        elif kind.startswith("ENUM"):
            chunks = [pyarrow.DictionaryArray.from_arrays(chunk.indices, chunk.dictionary,
                                                          ordered=True) for chunk in column.chunks]
            kept = pyarrow.dictionary(column.type.index_type, column.type.value_type, ordered=True)
            held = pyarrow.chunked_array(chunks, kept)
        else:
            continue
        table = table.set_column(i, table.field(i).name, held)
    return table
