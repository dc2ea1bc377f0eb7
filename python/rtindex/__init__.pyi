from . import dask as dask
from . import duckdb as duckdb
from . import pandas as pandas
from . import polars as polars
from ._core import MISS as MISS
from ._device import DeviceStrings as DeviceStrings
from ._draw import Picture as Picture
from ._draw import draw as draw
from ._errors import CorruptFileError as CorruptFileError
from ._errors import Error as Error
from ._errors import FileError as FileError
from ._errors import InvalidArgumentError as InvalidArgumentError
from ._errors import OutOfMemoryError as OutOfMemoryError
from ._errors import UnavailableError as UnavailableError
from ._errors import UnsupportedError as UnsupportedError
from ._filter import between as between
from ._filter import is_null as is_null
from ._filter import isin as isin
from ._index import Index as Index
from ._index import build as build
from ._index import default_spec as default_spec
from ._index import indexes as indexes
from ._index import load as load
from ._intervals import Intervals as Intervals
from ._intervals import intervals as intervals
from ._points import Points as Points
from ._points import points as points
from ._progress import progress as progress
from ._query import Query as Query
from ._results import Answers as Answers
from ._results import Counters as Counters
from ._results import IndexInfo as IndexInfo
from ._results import Join as Join
from ._results import MemoryUsage as MemoryUsage
from ._results import Rows as Rows

__all__: list[str]
__version__: str
