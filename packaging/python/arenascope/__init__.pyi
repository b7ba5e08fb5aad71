# SPDX-License-Identifier: MIT
from contextlib import AbstractContextManager
from typing import Any

from ._error import Error as Error
from ._model import Model as Model
from ._model import open as open
from ._page import Page as Page
from ._page import show as show
from ._parquet import to_parquet as to_parquet
from ._plan import Plan as Plan
from ._plan import plan as plan
from ._plan import planners as planners
from ._recording import Difference as Difference
from ._recording import Recording as Recording
from ._recording import diff as diff
from ._recording import read as read
from ._table import Table as Table

__version__: str

def connect(program: str | None = None) -> bool: ...
def connected() -> bool: ...
def disconnect() -> None: ...
def span(name: str) -> AbstractContextManager[None]: ...
def mark(name: str) -> None: ...
def count(name: str, value: float, unit: str = "") -> None: ...
def watch(model: Any = None, name: str | None = None, temporaries: bool = False) -> AbstractContextManager[Any]: ...
