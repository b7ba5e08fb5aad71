# SPDX-License-Identifier: MIT
"""Tests python -m arenascope as a command line. Arguments: arenascope-cli and an output folder."""
import os
import subprocess
import sys


def python_m(folder, package, path, *arguments, **environment):
    environment = {"PATH": path, "PYTHONPATH": package, "HOME": folder, "LC_ALL": "C.UTF-8", **environment}
    return subprocess.run([sys.executable, "-m", "arenascope", *arguments], cwd=folder, env=environment, timeout=60,
                          capture_output=True, text=True)


def check(ended, status, out="", err=""):
    assert ended.returncode == status and out in ended.stdout and err in ended.stderr, (ended, status, out, err)


def main():
    cli, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    package = os.path.join(os.path.dirname(cli), "..", "..", "lib", "arenascope", "python")
    os.makedirs(folder, exist_ok=True)
    page = os.path.join(folder, "zoo_mnist_cnn.html")
    if os.path.exists(page):
        os.remove(page)

    def run(*arguments):
        return python_m(folder, package, os.path.dirname(cli), *arguments)

    check(run("--help"), 0, out="usage: python -m arenascope")
    check(run(), 2, err="usage: python -m arenascope")
    check(run("plan", "zoo:mnist_cnn"), 0, out="lower bound")
    check(run("plan", "absent.onnx"), 2, err="absent.onnx")
    os.makedirs(os.path.join(folder, "plan"), exist_ok=True)  # the command, although a file has its name
    check(run("plan", "zoo:mnist_cnn"), 0, out="lower bound")
    check(run("zoo:mnist_cnn"), 0, out="zoo_mnist_cnn.html")
    with open(page, encoding="utf-8") as file:
        assert "<!DOCTYPE html>" in file.read()
    check(run("zoo:mnist_cnn", "--markdown"), 0, out="| at the peak |")
    check(run("zoo:absent"), 2, err="the zoo has no 'absent'")
    # With arenascope-window and a display a file opens in the window, unless an output is given.
    window = os.path.join(folder, "window")
    os.makedirs(os.path.join(window, "arenascope_window"), exist_ok=True)
    with open(os.path.join(window, "arenascope_window", "__init__.py"), "w", encoding="utf-8") as file:
        file.write("program = '/bin/echo'\n")

    def run_with_window(*arguments, **environment):
        return python_m(folder, os.pathsep.join((package, window)), os.path.dirname(cli), *arguments, **environment)

    check(run_with_window("zoo:mnist_cnn", DISPLAY=":7"), 0, out="zoo:mnist_cnn\n")
    check(run_with_window(DISPLAY=":7"), 0, out="\n")
    check(run_with_window(), 2, err="usage: python -m arenascope")
    check(run_with_window("zoo:mnist_cnn"), 0, out="zoo_mnist_cnn.html")
    check(run_with_window("zoo:mnist_cnn", QT_QPA_PLATFORM="offscreen"), 0, out="zoo_mnist_cnn.html")
    check(run_with_window("zoo:mnist_cnn", "--top", "3", DISPLAY=":7"), 0, out="zoo_mnist_cnn.html")  # an option of report
    check(run_with_window("zoo:mnist_cnn", "--markdown", DISPLAY=":7"), 0, out="| at the peak |")
    # Without the programs it states what is missing.
    check(python_m(folder, package, "/nowhere", "plan", "zoo:mnist_cnn"), 2, err="arenascope-cli is not installed")


main()
