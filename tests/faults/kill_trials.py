"""Kills and errors at the Nth call of every operation."""
import operations
from shim import ERRORS, MUTATING, Fault, hit
from trial import Verdict, case_of, known, random_of, words_of

PLACES = {"local": "local", "file": "file://"}


def spread(total, turn):
    """Numbers from 1 to `total`, far apart from turn to turn, each once in `total` turns."""
    stride = next((step for step in (7919, 6007, 4001, 3) if total % step), 1)
    return 1 + turn * stride % total


def plan(world, kind, index, seed, chosen=None):
    """The trial of that number: operations take turns, each goes through its calls."""
    chance = random_of(kind, seed, index)
    name, times = operations.taking_turns(world, index, chosen)
    turn = times + seed
    if kind == "kills":
        deed, calls, sticky = chance.choice(("kill", "kill", "torn")), MUTATING, 0
    else:
        deed = chance.choice(sorted(ERRORS))
        calls, sticky = ERRORS[deed], int(deed in ("ENOSPC", "EDQUOT") and chance.random() < 0.5)
    total = known(world, name).calls(world, calls)
    if total == 0:  # it only reads
        deed, calls = "EIO", ERRORS["EIO"]
        total = known(world, name).calls(world, calls)
    return case_of(kind, operation=name, at=spread(total, turn), deed=deed, sticky=sticky, turn=index)


def run(world, case):
    kind, values = words_of(case)
    operation = known(world, values["operation"])
    calls = MUTATING if kind == "kills" else ERRORS[values["deed"]]
    operation.begin(world)
    world.steps = int(values["turn"]) * 1000
    fault = Fault(values["deed"], int(values["at"]), calls, values["sticky"] == "1")
    done = operation.operation.run(world, fault)
    world.history.append(f"    met: {hit(world)}")
    findings = operation.check(world, done, int(values["turn"]))
    return Verdict(f"{kind}, {PLACES[operation.operation.place]}", case, done.code != 0, findings,
                   list(world.history))
