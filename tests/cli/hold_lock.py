"""Runs a command while another program holds a store's write lock.

    hold_lock.py STORE COMMAND [WORD...]
"""
import fcntl
import os
import pathlib
import socket
import subprocess
import sys
import time

with open(pathlib.Path(sys.argv[1]) / "lock", "r+b") as lock:
    fcntl.flock(lock, fcntl.LOCK_EX)
    lock.truncate(0)
    lock.write(f"{os.getpid()}\n{socket.gethostname()}\n{int(time.time())}\nkeeper add\n".encode())
    lock.flush()
    sys.exit(subprocess.run(sys.argv[2:], check=False).returncode)
