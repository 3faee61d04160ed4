#!/usr/bin/env python3
"""Write tests/golden/*.txt and docs/tolerances.md: what every primitive must give.

The results come from NumPy, JAX, mpmath and plain Python, never from Weft. The tests read
the files without Python; run this only to add cases. Make the environment outside the
repository, anywhere:

    python3 -m venv DIR && DIR/bin/pip install numpy scipy ml_dtypes mpmath 'jax[cpu]'
    DIR/bin/python tools/golden/make.py
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import complex as complex_numbers  # noqa: E402
import control  # noqa: E402
import elementwise  # noqa: E402
import linear  # noqa: E402
import reduce  # noqa: E402
import structure  # noqa: E402
import tolerances  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]


def main():
    out = ROOT / "tests" / "golden"
    out.mkdir(parents=True, exist_ok=True)
    elementwise.write(out)
    reduce.write(out)
    structure.write(out)
    complex_numbers.write(out)
    control.write(out)
    linear.write(out)
    tolerances.write(ROOT / "docs" / "tolerances.md")
    size = sum(p.stat().st_size for p in out.glob("*.txt"))
    print(f"{size} bytes")


if __name__ == "__main__":
    main()
