#!/usr/bin/env python3
"""Write NAME.out for each NAME.py in tests/script, or in the folders of it that are named (numpy, torch ..):
what Python prints for it. Run it after adding or changing a script, with Python 3.11 for the language and with a
Python that has the library for a folder, and review the difference.

    script_golden.py                  tests/script/*.py
    script_golden.py numpy            tests/script/numpy/*.py"""
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent / "tests" / "script"
for folder in [HERE / name for name in sys.argv[1:]] or [HERE]:
    for case in sorted(folder.glob("*.py")):
        if case.name.startswith("lib_"):
            continue
        done = subprocess.run([sys.executable, "-W", "ignore", case.name], cwd=folder, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{case.name}: {done.stderr}")
        case.with_suffix(".out").write_text(done.stdout)
