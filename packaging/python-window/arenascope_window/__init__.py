# SPDX-License-Identifier: MIT
"""The window of Arenascope, with Qt and all other libraries that it needs."""
import os

#: Path of the program.
program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "arenascope")
