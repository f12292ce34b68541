"""Two faults at a time: damage, any command, a recovery, then a command that deletes.

What the damage did not touch survives all of that. What it touched is reported, never restored wrong, and
comes back when its model is added again.
"""
import os
import shutil

import operations
from flip_trials import flip
from invariant import FALSE_ALARM, LOST, WRONG, Check
from kill_trials import spread
from shim import MUTATING, Fault, hit
from trial import Verdict, case_of, random_of, words_of
from world import add_again, fold_catalog

HOW = ("flip", "cut", "zero", "remove", "empty")
# Operations that are killed or fail as a first fault: those that ask for no deletion.
FIRST = ("import", "add-exact", "add-lossy", "add-next", "add-shared", "add-again", "add-removed", "tag",
         "tag-move", "rename", "verify", "verify-catalog", "push", "pull", "fetch", "repair", "add-private",
         "note", "recode")
ERRORS = ("ENOSPC", "EIO", "EDQUOT")
TEMPLATES = ("remote", "pages")
M, W = "{m}", "{w}"
COMMANDS = {
    "add": ("add", "new", M + "/extra-class.safetensors", "--base", "base"),
    "add a again": ("add", "a", M + "/shifted-2.safetensors"),
    "import base again": ("import", M + "/base.safetensors", "--name", "base"),
    "add a removed one": ("add", "returned", M + "/shifted-3.safetensors"),
    "tag": ("tag", "a:v2", "late"),
    "rename": ("rename", "lossy", "renamed"),
    "gc": ("gc", "--yes"),
    "verify": ("verify",),
    "rebuild catalog": ("verify", "--rebuild-catalog"),
    "restore": ("restore", "a:v2", "-o", W + "/out.safetensors"),
    "push": ("push", "lab"),
    "pull": ("pull", "lab"),
    "trash restore": ("trash", "restore", "old"),
    "remove": ("remove", "older"),
    "list": ("list",),
    "init": ("init",),
    "add a private": ("add", "a", M + "/private.safetensors"),
    "recode": ("recode", "a:v1", "--flatten"),
    "note": ("note", "a:v1", "passed review"),
    "bundle": ("bundle", "create", W + "/all.tar"),
}
RECOVERIES = {
    "none": (),
    "rebuild catalog": (("verify", "--rebuild-catalog"),),
    "repair": (("verify", "--repair", "--from", "lab"),),
    "pull": (("pull", "lab"),),
    "add again": "again",
}
DELETIONS = {
    "gc": (("gc", "--yes"),),
    "trash empty": (("trash", "empty", "--yes"),),
    "remove version": (("remove", "a:v1", "--now", "--yes"),),
    "remove all": (("remove", "a", "--all", "--now", "--yes"),),
    "remove and empty": (("remove", "folder"), ("trash", "empty", "--yes"), ("gc", "--yes")),
}
# Refs whose deletion a command asks for.
ASKED = {"trash empty": {"old:v1"}, "remove version": {"a:v1"}, "remove all": {"a:v1", "a:v2"},
         "remove and empty": {"folder:v1", "old:v1", "older:v1"}, "remove": {"older:v1"}}


def files_of(world):
    """Files of the store and of the remote folder that can be damaged, in order."""
    found = []
    for top in ("store", "remote"):
        for place, _, names in os.walk(world.live / top):
            found += [os.path.relpath(os.path.join(place, name), world.live) for name in names
                      if not name.endswith(("-shm", "-wal"))]
    return sorted(path for path in found if os.path.getsize(world.live / path) > 0)


def settle_files(world):
    fold_catalog(world.live / "store" / "catalog.sqlite")


def plan(world, kind, index, seed, chosen=None):
    chance = random_of(kind, seed, index)
    # Every other trial of a kind is about a remote whose list is in pages.
    template = TEMPLATES[index // 4 % len(TEMPLATES)]
    world.begin(template)
    settle_files(world)
    values = {"template": template, "command": chance.randrange(len(COMMANDS)),
              "recovery": chance.randrange(len(RECOVERIES)), "deletion": chance.randrange(len(DELETIONS))}
    style = index % 4
    if style < 2:
        files = files_of(world)
        number = index // (4 * len(TEMPLATES)) * 2 + style
        how = HOW[number // len(files) % len(HOW)]
        values |= {"first": how, "file": number % len(files), "at": chance.randrange(1 << 30)}
    elif style == 2:
        how = "older" if chance.random() < 0.1 else "catalog"
        values |= {"first": how, "at": chance.randrange(1 << 30)}
    else:
        deed = chance.choice(("kill", "torn", *ERRORS))
        values |= {"first": deed, "operation": chance.choice(FIRST), "at": chance.randrange(1 << 30)}
    return case_of(kind, **values, turn=index)


def damage(world, path, how, at):
    """Damages a file below the live world; what was done, in words."""
    file = world.live / path
    size = file.stat().st_size
    mode = file.stat().st_mode
    data = bytearray(file.read_bytes())
    if how == "flip":
        data[at % size] ^= 1 << (at >> 20) % 8
    elif how == "cut":
        del data[at % size:]
    elif how == "zero":
        begin = at % size
        data[begin:begin + 512] = bytes(len(data[begin:begin + 512]))
    file.unlink()
    if how in ("flip", "cut", "zero", "empty"):
        file.write_bytes(b"" if how == "empty" else data)
        file.chmod(mode)
    return f"    damage: {how} {path} of {size} bytes"


def first_fault(world, values):
    """Does the first fault; the damaged path, or None."""
    how, at = values["first"], int(values["at"])
    if how in HOW:
        path = files_of(world)[int(values["file"])]
        original = (world.live / path).read_bytes()
        world.history.append(damage(world, path, how, at))
        same = (world.live / path).exists() and (world.live / path).read_bytes() == original
        return None if same else path
    if how == "catalog":
        size = (world.live / "store/catalog.sqlite").stat().st_size
        flip(world.live / "store/catalog.sqlite", at % (size * 8))
        world.history.append(f"    damage: bit {at % (size * 8)} of the catalog")
    elif how == "older":
        shutil.copyfile(world.live / "older.sqlite", world.live / "store/catalog.sqlite")
        world.history.append("    damage: an older catalog put back")
    else:
        operation = operations.ALL[values["operation"]]
        # Far beyond the end nothing is met, which is a trial of the rest alone.
        fault = Fault(how, 1 + at % 300, MUTATING if how in ("kill", "torn") else "cwsnmtur")
        operation.run(world, fault)
        world.history.append(f"    met: {hit(world)}")
    return None


def run(world, case):
    kind, values = words_of(case)
    template = world.begin(values.get("template", "remote"))
    settle_files(world)
    world.steps = int(values["turn"]) * 1000
    hashes = template.hashes["store"]
    check = Check(world, {hashes[ref]: found for ref, found in template.promised["store"].items()},
                  template.modes)
    originals = {name: (world.live / "store" / name).read_bytes() for name in ("store.toml", "remotes.toml")}
    damaged = first_fault(world, values)
    touched = {ref for ref, files in template.needs.items() if damaged in files}
    names = [list(table)[int(values[key])] for key, table in
             (("command", COMMANDS), ("recovery", RECOVERIES), ("deletion", DELETIONS))]
    asked = ASKED.get(names[0], set()) | ASKED.get(names[2], set())

    done = check.run(*fill(world, COMMANDS[names[0]]))
    detected = done.code != 0
    if names[0] == "verify" and touched and done.code != 6:
        check.add(WRONG, f"verify exits {done.code} and {damaged} is damaged")
    if names[0] == "verify" and is_memory(damaged, values["first"]) and done.code != 6:
        check.add(WRONG, f"verify exits {done.code} and {damaged} is damaged")
    recovery = RECOVERIES[names[1]]
    for words in again(world, touched, damaged) if recovery == "again" else recovery:
        check.run(*words)
    for words in DELETIONS[names[2]]:
        check.run(*words)
    for name, data in originals.items():  # settings that are damaged come back from a copy
        (world.live / "store" / name).unlink(missing_ok=True)
        (world.live / "store" / name).write_bytes(data)
    detected |= judge(check, template, touched, damaged, asked, int(values["turn"]))
    if damaged and damaged.startswith("remote/"):
        check_far(check, world, template)
    return Verdict("two faults", case, detected, check.findings, list(world.history))


def is_memory(damaged, how):
    """Whether it is what the store keeps of the remote. A list that is missing was never asked for."""
    if not damaged or not damaged.startswith("store/remotes/lab."):
        return False
    return how != "remove" or not damaged.endswith(".json")


def fill(world, words):
    return [word.format(m=world.models, w=world.live) for word in words]


def again(world, refs, damaged):
    """The base first: the others are differences to it."""
    if damaged and "/tags/" in damaged:
        return [("tag", "a:v1", "prod", "--move")]
    words = [add_again(world, ref) for ref in sorted(refs, key=lambda ref: (ref != "base:v1", ref))]
    return [one for one in words if one is not None]


def judge(check, template, touched, damaged, asked, turn):
    """The end: damage is told, then mended, and everything that was not asked away is there."""
    world, hashes = check.world, template.hashes["store"]
    looked = check.run("verify")
    now = world.state()
    if looked.code == 0:
        # Sound means that each version restores; the deep look is that of all at once.
        deep = check.run("verify", "--rebuild")
        if deep.code != 0:
            check.add(WRONG, f"verify exits 0 and verify --rebuild {deep.code}: {deep.said()}")
    if looked.code != 0 or touched:
        check.run("verify", "--rebuild-catalog")
        for words in again(world, touched, damaged):
            check.run(*words)
        check.run("verify", "--rebuild-catalog")
    if looked.code != 0 and damaged and damaged.startswith("store/remotes/lab."):
        check.must(WRONG, "fetch", "lab")
    now = world.state()
    wanted = {hashes[ref]: ref for ref in hashes
              if ref not in asked and (ref not in touched or ref != "lossy:v1")}
    asked_hashes = {hashes[ref] for ref in asked}
    live = {hash_: ref for ref, hash_ in now["live"].items()}
    if "lossy:v1" in touched:
        live.pop(hashes["lossy:v1"], None)
    for hash_, ref in sorted(wanted.items(), key=lambda one: one[1]):
        if hash_ not in live and hash_ not in now["trash"].values() and hash_ not in asked_hashes:
            check.add(LOST, f"{ref} is in no ref")
    sound = check.run("verify", "--rebuild").code == 0
    refs = {ref: hash_ for hash_, ref in live.items() if hash_ in wanted}
    chosen = sorted(refs)
    if sound and turn % 10:
        chosen = chosen[turn % len(chosen):][:2] if chosen else []
    check.restores({ref: refs[ref] for ref in chosen})
    if not sound and not touched:
        check.add(FALSE_ALARM, "verify exits 6 after all was mended")
    return looked.code != 0


def check_far(check, world, template):
    """A push that mends what is damaged over there leaves a remote that gives everything back."""
    looked = check.run("remote", "verify", "lab")
    if looked.code == 2:
        return  # this program cannot
    mended = check.run("push", "--repair", "lab")
    if mended.code == 0:
        check.must(FALSE_ALARM, "remote", "verify", "lab")
        check.must(LOST, "clone", f"file://{world.live}/remote", str(world.live / "check"))
        check.must(LOST, "verify", "--rebuild", store="check")
