"""One flipped bit of the catalog, or an older catalog put back, then a command that deletes.

What must stay is known before: the ref files and objects of every version whose deletion was not asked
for. So one program a trial is enough; a closer look follows now and then, and where something is missing.
"""
from invariant import LOST, Check
from kill_trials import spread
from trial import Verdict, case_of, random_of, words_of
from world import fold_catalog

DELETING = {
    "trash empty": (("trash", "empty", "--yes"), {"old:v1", "gone:v1", "gone:v2"}),
    "remove newest": (("remove", "a", "--now", "--yes"), {"a:v2"}),
    "remove version": (("remove", "a:v1", "--now", "--yes"), {"a:v1"}),
    "remove all": (("remove", "a", "--all", "--now", "--yes"), {"a:v1", "a:v2"}),
    "remove by tag": (("remove", "a:prod", "--now", "--yes"), {"a:v1"}),
    "to the trash and empty": (("remove", "folder"), {"folder:v1", "old:v1", "gone:v1", "gone:v2"}),
    "gc": (("gc", "--yes"), set()),
}
NAMES = list(DELETING)
CATALOG = "store/catalog.sqlite"


def plan(world, kind, index, seed, chosen=None):
    chance = random_of(kind, seed, index)
    world.begin("trash")
    size = fold(world)
    names = [name for name in NAMES if not chosen or name in chosen]
    return case_of(kind, bit=spread(size * 8, index + seed * 7919) - 1,
                   command=NAMES.index(chance.choice(names)), turn=index)


def fold(world):
    """The catalog as one file; how many bytes it has."""
    if (world.live / (CATALOG + "-wal")).exists():
        fold_catalog(world.live / CATALOG)
    return (world.live / CATALOG).stat().st_size


def run(world, case):
    kind, values = words_of(case)
    name, turn = NAMES[int(values["command"])], int(values["turn"])
    template = world.begin("trash")
    fold(world)
    flip(world.live / CATALOG, int(values["bit"]))
    world.history.append(f"    bit {values['bit']} of {CATALOG} flipped")
    return judge(world, template, kind, case, name, turn)


def flip(path, bit):
    with open(path, "r+b", 0) as file:
        file.seek(bit // 8)
        byte = file.read(1)[0]
        file.seek(bit // 8)
        file.write(bytes([byte ^ 1 << bit % 8]))


def needed(template, asked):
    """Files of every version that has to stay, and of its parents."""
    files = set()
    for ref in template.needs:
        if ref in asked:
            continue
        files |= template.needs[ref]
        while (ref := template.parents.get(ref)) is not None:
            files |= {path for path in template.needs.get(ref, ()) if "/objects/" in path}
    return files


def judge(world, template, kind, case, name, turn):
    words, asked = DELETING[name]
    hashes = template.hashes["store"]
    check = Check(world, {hashes[ref]: found for ref, found in template.promised["store"].items()})
    done = check.run(*words)
    if name == "to the trash and empty":
        check.run("trash", "empty", "--yes")
    kept = needed(template, asked)
    missing = [path for path in sorted(kept) if not (world.live / path).exists()]
    for path in missing:
        check.add(LOST, f"{name} deleted {path}")
    if missing or turn % 10 == 0:
        # Whatever was found damaged is mended from refs and manifests, and everything is there.
        check.must("wrong", "verify", "--rebuild-catalog")
        now = world.state()
        check.restores(now["live"])
        check.trash_comes_back(now)
        gone = (set(hashes) - asked) - set(now["live"]) - set(now["trash"])
        for ref in sorted(gone):
            check.add(LOST, f"{ref} is not listed after {name}")
    return Verdict("catalog flips, then a deletion", case, done.code != 0, check.findings,
                   list(world.history))
