"""What the preloaded library is told to do (shim.c)."""
import dataclasses
import pathlib

MUTATING = "cwsnumtxl"
WRITING = "cwnmt"
ERRORS = {"ENOSPC": WRITING + "s", "EDQUOT": WRITING + "s", "EIO": "ocwsnumtpxra", "short": "wr",
          "EINTR": "wr"}


@dataclasses.dataclass(frozen=True)
class Fault:
    """One order: at the `at`-th call of the `calls` kinds below `roots`, `deed`."""
    deed: str = ""
    at: int = 0
    calls: str = MUTATING
    sticky: bool = False
    roots: tuple = ("w",)
    source: str = ""
    trace: bool = False
    journal: bool = False

    def variables(self, world):
        world.log.unlink(missing_ok=True)
        roots = ":".join(str(world.top / root) for root in self.roots)
        found = {"LD_PRELOAD": world.shim, "FAULTS_ROOT": roots, "FAULTS_CALLS": self.calls,
                 "FAULTS_LOG": str(world.log), "FAULTS_SEED": str(world.steps * 7919 + 17)}
        if self.at:
            found |= {"FAULTS_AT": str(self.at), "FAULTS_DO": self.deed}
        if self.sticky:
            found["FAULTS_STICKY"] = "1"
        if self.source:
            found |= {"FAULTS_SOURCE": str(world.top / self.source), "FAULTS_NEXT": str(world.top / "next")}
        if self.trace:
            found["FAULTS_TRACE"] = "1"
        if self.journal:
            (world.top / "journal").unlink(missing_ok=True)
            found["FAULTS_JOURNAL"] = str(world.top / "journal")
        return found

    def __str__(self):
        if not self.at:
            return "watched"
        return f"{self.deed} at call {self.at} of {self.calls}" + (" and after" if self.sticky else "")


def hit(world):
    """The line of the call that the last fault met, or "" if there were fewer calls."""
    return world.log.read_text().strip() if world.log.exists() else ""


def count_calls(world, run, calls, **more):
    """How many calls of those kinds `run(fault)` makes, and how it ended."""
    done = run(Fault(calls=calls, trace=True, **more))
    lines = pathlib.Path(world.log).read_text().splitlines() if world.log.exists() else []
    return len(lines), done
