from ._core import MISS as MISS
from ._core import Error as Error
from ._draw import Picture as Picture
from ._draw import draw as draw
from ._index import Index as Index
from ._index import build as build
from ._index import default_index as default_index
from ._index import indexes as indexes
from ._index import load as load
from ._results import Answers as Answers
from ._results import Counters as Counters
from ._results import Join as Join
from ._results import Memory as Memory
from ._results import Rows as Rows
from ._results import IndexInfo as IndexInfo

__version__: str
