"""Runs a program and measures it; shared by the benches of this folder."""
import dataclasses
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import threading
import time


@dataclasses.dataclass
class Run:
    seconds: float
    user_seconds: float
    system_seconds: float
    peak_anonymous_bytes: int  # of RssAnon, asked every few milliseconds
    stdout: str

    @property
    def cpu_seconds(self):
        return self.user_seconds + self.system_seconds


def _anonymous_bytes(pid):
    try:
        for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) * 1024
    except (FileNotFoundError, ProcessLookupError):
        pass
    return 0


def run(command, core=None):
    """Runs to the end, on one core or a range of them ("0-1") if given; a failure ends the bench with
    the program's words."""
    if core is not None:
        command = ["taskset", "-c", str(core), *command]
    begun, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    child = subprocess.Popen([str(c) for c in command], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True)
    peak, done = [0], threading.Event()

    def poll():
        while not done.wait(0.004):
            peak[0] = max(peak[0], _anonymous_bytes(child.pid))

    poller = threading.Thread(target=poll)
    poller.start()
    stdout, stderr = child.communicate()
    seconds = time.monotonic() - begun
    done.set()
    poller.join()
    if child.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nfailed with {child.returncode}: {stderr.strip()}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Run(seconds, after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime, peak[0],
               stdout)


def median(values):
    return statistics.median(values)


def machine():
    model = "unknown processor"
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
    return f"{model}, {os.cpu_count()} cores"


def tree_bytes(folder):
    return sum(p.stat().st_size for p in pathlib.Path(folder).rglob("*") if p.is_file())


def print_table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")
