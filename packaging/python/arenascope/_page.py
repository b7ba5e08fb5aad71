# SPDX-License-Identifier: MIT
"""Reports in notebooks."""
from __future__ import annotations

import html
import os
import tempfile

from . import _program
from ._recording import path_of


class Page:
    """A report as one self-contained HTML page. A notebook shows it inline."""

    def __init__(self, text: str, height: int):
        self.html = text
        self._height = height

    def save(self, path: str | os.PathLike) -> None:
        """Writes the page to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)

    def _repr_html_(self) -> str:
        # The page has its own styles and scripts, which the frame separates from those of the notebook.
        return (f'<iframe srcdoc="{html.escape(self.html)}" sandbox="allow-scripts" style="border:0;width:100%;'
                f'height:{self._height}px"></iframe>')


def show(what, height: int = 720) -> Page:
    """The report of a file, recording or model, which a notebook shows inline. height: of the frame, in pixels.
    Raises Error if the file cannot be read."""
    with tempfile.TemporaryDirectory() as folder:
        page = os.path.join(folder, "report.html")
        _program.output_of(["report", path_of(what), "--output", page])
        with open(page, encoding="utf-8") as file:
            return Page(file.read(), height)
