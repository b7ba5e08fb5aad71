# SPDX-License-Identifier: MIT
"""The error of the package."""


class Error(RuntimeError):
    """Connecting failed, a file cannot be read, a query is wrong, or a model cannot be planned or run. The message states what
    failed, what was expected and what was found."""
