"""Counts that add up over runs, in a file, and the one table."""
import json
import os
import pathlib

COLUMNS = ("tried", "detected", "survived", "lost", "wrong", "crashed", "false alarm")


class Tally:
    """What all trials gave, and where each kind goes on."""

    def __init__(self, file):
        self.file = pathlib.Path(file) if file else None
        self.rows, self.next, self.failures = {}, {}, []
        if self.file and self.file.exists():
            kept = json.loads(self.file.read_text())
            self.rows, self.next, self.failures = kept["rows"], kept["next"], kept["failures"]

    def add(self, verdict):
        row = self.rows.setdefault(verdict.row, dict.fromkeys(COLUMNS, 0))
        row["tried"] += verdict.trials
        row["detected"] += verdict.detected
        row["survived"] += verdict.trials - (1 if verdict.findings else 0)
        for column in {column for column, _ in verdict.findings}:
            row[column] += 1
        if verdict.findings:
            self.failures.append({"case": verdict.case, "findings": verdict.findings,
                                  "history": verdict.history})

    def save(self):
        if not self.file:
            return
        self.file.parent.mkdir(parents=True, exist_ok=True)
        draft = self.file.with_suffix(".new")
        draft.write_text(json.dumps({"rows": self.rows, "next": self.next, "failures": self.failures},
                                    indent=1))
        os.replace(draft, self.file)

    def table(self):
        lines = [f"| {'kind':28} | " + " | ".join(f"{one:>11}" for one in COLUMNS) + " |",
                 "|---|" + "---:|" * len(COLUMNS)]
        for name in sorted(self.rows):
            lines.append(f"| {name:28} | " + " | ".join(f"{self.rows[name][one]:11,}" for one in COLUMNS)
                         + " |")
        return "\n".join(lines)
