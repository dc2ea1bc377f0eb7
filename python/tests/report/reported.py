"""The report's modules, from the source tree: rtindex itself need not be built."""

import importlib.util
import pathlib
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2] / "rtindex" / "report"

_spec = importlib.util.spec_from_file_location("rtindex_report", SOURCE / "__init__.py")
sys.modules[_spec.name] = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(sys.modules[_spec.name])

charts, colours, command, experiments, machines, names, page, records, winners, words = (
    importlib.import_module(f"rtindex_report.{name}")
    for name in (
        "charts",
        "colours",
        "command",
        "experiments",
        "machines",
        "names",
        "page",
        "records",
        "winners",
        "words",
    )
)
