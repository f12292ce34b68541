"""How reading fails (§1)."""


class FormatError(Exception):
    """What a reader answers, with the name of the outcome in front (§1)."""

    def __init__(self, outcome, text):
        super().__init__(f"{outcome}: {text}")
        self.outcome = outcome


def corrupt(text):
    return FormatError("CorruptData", text)


def require(condition, text):
    if not condition:
        raise corrupt(text)
