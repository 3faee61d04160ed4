#!/usr/bin/env python3
"""Write tests/script/NAME.out for each NAME.py there: what CPython prints. Run it with Python 3.11
after adding or changing a script, and review the difference."""
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent / "tests" / "script"
for case in sorted(HERE.glob("*.py")):
    if case.name.startswith("lib_"):
        continue
    done = subprocess.run([sys.executable, "-W", "ignore", case.name], cwd=HERE, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{case.name}: {done.stderr}")
    case.with_suffix(".out").write_text(done.stdout)
