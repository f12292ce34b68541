"""A source that somebody changes while `add` or `import` reads it.

The shim changes it just before the Nth call, so every place in the program is tried. What is stored with
exit 0 restores, and to what the file was at one time: before or after the change, never a mixture.
"""
import shutil

import operations
from invariant import WRONG, Check
from kill_trials import spread
from shim import MUTATING, Fault, hit
from trial import Verdict, case_of, known, random_of, words_of
from world import digest

NAMES = ["import", "add-exact", "add-lossy", "add-next", "add-shared", "add-folder", "lfs-agent"]
HOW = ["middle", "all", "last", "cut", "empty", "grow", "replace", "remove"]
CALLS = MUTATING + "oa"
ROOTS = ("w", "models")


def source_of(world, operation):
    """The file that is changed: of a folder the one with most of the weights."""
    path = world.models / operation.source
    return path / "model-00002-of-00002.safetensors" if path.is_dir() else path


def plan(world, kind, index, seed, chosen=None):
    chance = random_of(kind, seed, index)
    names = [name for name in NAMES if not chosen or name in chosen]
    name = names[index % len(names)]
    total = known(world, name).calls(world, CALLS, ROOTS)
    how = chance.choice(HOW)
    # Changed again at every later call where that gives the same bytes.
    again = int(how in ("middle", "all", "last") and chance.random() < 0.3)
    return case_of(kind, operation=name, at=spread(total, index // len(names) + seed), how=how, again=again,
                   turn=index)


def run(world, case):
    kind, values = words_of(case)
    operation = known(world, values["operation"])
    operation.begin(world)
    world.steps = int(values["turn"]) * 1000
    source = source_of(world, operation.operation)
    kept = world.top / "kept-source"
    shutil.copy2(source, kept)
    shutil.copyfile(world.models / "shifted-3.safetensors", world.top / "next")
    whole = world.models / operation.operation.source
    fault = Fault("change:" + values["how"], int(values["at"]), CALLS, values["again"] == "1", ROOTS,
                  str(source.relative_to(world.top)))
    try:
        old = digest(whole)
        done = operation.operation.run(world, fault)
        new = digest(whole)
    finally:
        shutil.copy2(kept, source)
        world.sources = world.stamps()
    world.history.append(f"    met: {hit(world)}")
    findings = check(world, operation, done, {old, new}, int(values["turn"]))
    return Verdict("sources that change", case, done.code != 0, findings, list(world.history))


def check(world, operation, done, possible, turn):
    """The versions of before are there; the new one is one of the files that there were, or is not."""
    check = Check(world, operation.digests)
    check.crash(done)
    check.sound()
    now = check.settled(turn)
    before, after = operation.before["store"], operation.after["store"]
    for ref, hash_ in before["live"].items():
        if now["live"].get(ref) != hash_:
            check.add("lost", f"{ref} is gone")
    fresh = {ref: hash_ for ref, hash_ in now["live"].items() if ref not in before["live"]}
    refused = done.code != 0
    if refused and fresh:
        check.add(WRONG, f"exit {done.code}, but {', '.join(fresh)} is there")
    if not refused and len(fresh) < len(set(after["live"]) - set(before["live"])):
        check.add(WRONG, "exit 0, but there is no new version")
    for ref in fresh:
        back, restored = world.restored(ref)
        if check.crash(restored):
            continue
        if restored.code != 0:
            check.add("lost", f"{ref}: restore exits {restored.code}: {restored.said()}")
        elif back not in possible and operation.operation.name != "add-lossy":
            check.add(WRONG, f"{ref} is neither the file of before nor that of after")
    return check.findings
