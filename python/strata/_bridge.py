"""Stands between Strata and a Python function that scores models: lines go both ways.

Strata starts it as an evaluator; the socket leads to the process with the function (_evaluator.py).
"""

import socket
import sys

place = socket.socket(socket.AF_UNIX)
place.connect(sys.argv[1])
lines = place.makefile("rw", encoding="utf-8")
for asked in sys.stdin:
    lines.write(asked)
    lines.flush()
    answer = lines.readline()
    if not answer:
        sys.exit("the function that scores models is gone")
    sys.stdout.write(answer)
    sys.stdout.flush()
