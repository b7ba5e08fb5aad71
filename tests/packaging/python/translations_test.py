# SPDX-License-Identifier: MIT
"""Every text of the window that lupdate finds has a Chinese translation. Arguments: lupdate, the repository and an output folder."""
import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree


def texts_of(file):
    return {message.find("source").text for message in ElementTree.parse(file).iter("message")}


def main():
    lupdate, source, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    found = os.path.join(folder, "found.ts")
    if os.path.exists(found):
        os.remove(found)
    subprocess.run([lupdate, "-silent", "app", "views", "engine", "-ts", found], cwd=source, check=True,
                   stderr=subprocess.DEVNULL)
    # By text alone: lupdate names the contexts of nested functions in another way.
    texts = texts_of(found)
    assert len(texts) > 1000, len(texts)
    missing = sorted(texts - texts_of(os.path.join(source, "translations", "arenascope_zh_CN.ts")))
    assert not missing, f"without a translation in translations/arenascope_zh_CN.ts: {missing}"


main()
