"""Makes an extension of a shared library: DuckDB reads a footer of 512 bytes at its end, which says what the file
was built for. usage: append_footer.py LIBRARY EXTENSION PLATFORM API_VERSION EXTENSION_VERSION"""

import pathlib
import sys

library, extension, platform, api_version, version = sys.argv[1:]

# From the last field to the first, 32 bytes each; then the signature, which is empty: LOAD needs
# allow_unsigned_extensions. "4" is the version of this layout.
fields = ["", "", "", "C_STRUCT", version, api_version, platform, "4"]
footer = b"".join(field.encode().ljust(32, b"\0") for field in fields) + bytes(256)
assert len(footer) == 512, fields
pathlib.Path(extension).write_bytes(pathlib.Path(library).read_bytes() + footer)
