"""A power cut after each change that an operation makes to the disk, and after its end."""
import journal
import operations
from kill_trials import PLACES, spread
from shim import Fault
from trial import Verdict, case_of, known, random_of, words_of
from world import Done, KILLED, remove_tree

# Folders whose disks are cut; a network folder's and the own one may be two machines.
CUTS = {"local": ("both",), "file": ("both", "both", "far", "near")}


def recorded(world, name):
    """Runs an operation under the journal; its records and how it ended. The world is as it was."""
    operation = known(world, name)
    operation.begin(world)
    world.steps = 1000
    before = journal.Disk(world.live)
    done = operation.operation.run(world, Fault(calls="", journal=True))
    path = world.top / "journal"
    return before, list(journal.read(path)) if path.exists() else [], done


def plan(world, kind, index, seed, chosen=None):
    chance = random_of(kind, seed, index)
    name, times = operations.taking_turns(world, index, chosen)
    turn = times + seed
    _, records, _ = recorded(world, name)
    total = sum(1 for record in records if journal.is_change(record))
    # A fourth of the cuts come after the operation was over.
    at = total if turn % 4 == 3 else spread(max(total, 1), turn)
    return case_of(kind, operation=name, at=at, policy=chance.randrange(len(journal.NAMES)),
                   cut=chance.choice(CUTS[operations.ALL[name].place]), turn=index)


def run(world, case):
    kind, values = words_of(case)
    name, at, turn = values["operation"], int(values["at"]), int(values["turn"])
    policy = journal.NAMES[int(values["policy"])]
    operation = known(world, name)
    disk, records, done = recorded(world, name)
    changes = [position for position, record in enumerate(records) if journal.is_change(record)]
    whole = at >= len(changes)
    journal.replay(disk, records if whole else records[:changes[at - 1] + 1])
    keep_uncut(disk, values["cut"])
    remove_tree(world.live)
    world.live.mkdir()
    disk.write_after_cut(str(world.live), policy, turn)
    if not whole:
        done = Done(done.words, KILLED, "", "")
    world.history.append(f"    power cut ({values['cut']}) after change {at} of {len(changes)}: {policy}")
    findings = operation.check(world, done, turn)
    return Verdict(f"power cuts, {PLACES[operation.operation.place]}", case, not whole, findings,
                   list(world.history))


def keep_uncut(disk, cut):
    """The disk of the machine that stays up has everything."""
    if cut == "both":
        return
    far = (f"{disk.top}/remote/", f"{disk.top}/fresh/")
    disk.sync_all(lambda path: path.startswith(far) != (cut == "far"))
