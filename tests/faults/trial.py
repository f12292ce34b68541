"""One operation, one fault, then the invariant. Kills, errors and power cuts share this."""
import dataclasses
import random

import operations
from invariant import Check
from shim import ERRORS, MUTATING, count_calls
from world import digest, remove_tree


@dataclasses.dataclass
class Verdict:
    """What a trial gave."""
    row: str  # of the table
    case: str  # repeats the trial: `scripts/faults --one CASE`
    detected: bool  # the program said that something is wrong, or was ended
    findings: list  # (column, text)
    history: list = dataclasses.field(default_factory=list)
    trials: int = 1


def words_of(case):
    """`kills:operation=tag,at=3` as a kind and a dictionary."""
    kind, _, rest = case.partition(":")
    return kind, dict(part.split("=", 1) for part in rest.split(",") if part)


def case_of(kind, **values):
    return kind + ":" + ",".join(f"{key}={value}" for key, value in values.items())


class Known:
    """What an operation does when nothing fails. States are those of each store, "remote" a clone's."""

    def __init__(self, world, name):
        self.operation = operations.ALL[name]
        self.template = world.begin(self.operation.template)
        self.operation.prepare(world)
        self.before, self.old_files = self.look(world)
        self.totals = {}
        done = self.operation.run(world)
        if done.code != 0:
            raise AssertionError(f"{name}: exit {done.code}: {done.err}")
        self.after, self.new_files = self.look(world)
        self.digests = {}
        for store, versions in self.template.promised.items():
            self.digests |= {self.template.hashes[store][ref]: found for ref, found in versions.items()}
        self.modes = dict(self.template.modes)
        for store, state in self.after.items():
            for ref, hash_ in state["live"].items():
                if hash_ not in self.digests or (ref, hash_) not in self.modes:
                    self.digests[hash_], done = world.restored(ref, store)
                    assert done.code == 0, done.err
                    self.modes[ref, hash_] = world.restored_mode()

    def look(self, world):
        """The state of each store that is there, and the watched files."""
        folders = ("store", "other", "third")
        states = {one: world.state(one) for one in folders if (world.live / one / "store.toml").exists()}
        if self.operation.place == "file":
            folder = "fresh" if self.operation.name == "push-new" else "remote"
            if (world.live / folder).exists():
                remove_tree(world.live / "check")
                cloned = world.strata_run("clone", f"file://{world.live}/{folder}", world.live / "check")
                if cloned.code == 0:
                    states["check"] = world.state("check")
                elif not self.operation.loses_page:
                    raise AssertionError(f"clone: exit {cloned.code}: {cloned.err}")
        return states, {path: digest(world.live / path) for path in self.operation.watched}

    def begin(self, world):
        world.begin(self.operation.template)
        self.operation.prepare(world)

    def calls(self, world, kinds, roots=("w",)):
        """How many calls of those kinds the operation makes."""
        if (kinds, roots) not in self.totals:
            self.begin(world)
            self.totals[kinds, roots], _ = count_calls(
                world, lambda fault: self.operation.run(world, fault), kinds, roots=roots)
            if self.totals[kinds, roots] == 0 and kinds in (MUTATING, ERRORS["EIO"]):
                raise AssertionError(f"{self.operation.name}: the shim saw no call of {kinds}")
        return self.totals[kinds, roots]

    def check(self, world, done, turn):
        """The invariant after `done`, which a fault may have met."""
        check = Check(world, self.digests, self.modes)
        check.crash(done)
        check.files(done, self.old_files, self.new_files)
        check.sources()
        if self.operation.again and done.code != 0:
            repeated = self.operation.run(world)
            if repeated.code != 0:
                check.add("wrong", f"the same command again: exit {repeated.code}: {repeated.said()}")
                return check.findings
            done = repeated
        for store in self.after:
            if store == "check":
                self.check_remote(check, world, done)
                continue
            if not (world.live / store / "store.toml").exists():
                if store in self.before or done.code == 0:
                    check.add("lost", f"{store} is gone")
                continue
            before, after = self.before.get(store, self.after[store]), self.after[store]
            check.sound(store)
            if self.operation.finish[:1] == (store,):
                words = self.operation.filled(self.operation.finish[1:], world)
                check.must("wrong", *words, store=store)
                done = dataclasses.replace(done, code=0)
            check.did(done, before, after, world.state(store), store)
            now = check.settled(turn, store, after if done.code == 0 else both(before, after))
            check.did(done, before, after, now, store)
            if turn % 16 == 4:
                check.trash_comes_back(now, store)
        if self.operation.place == "file" and turn % 2 == 0 and turn % 16 != 4:
            self.check_repeated(check, world)
        return check.findings

    def check_remote(self, check, world, done):
        """A clone of the remote folder has all that pushes reported."""
        folder = "fresh" if self.operation.name == "push-new" else "remote"
        if not check.must("lost", "clone", f"file://{world.live}/{folder}", str(world.live / "check")):
            return
        before = self.before.get("check", self.after["check"])
        check.did(done, before, self.after["check"], world.state("check"), "check")
        check.must("lost", "verify", "--rebuild", store="check")

    def check_repeated(self, check, world):
        """The same command again does what it says."""
        if self.operation.once:
            return
        done = self.operation.run(world)
        check.crash(done)
        if done.code != 0:
            check.add("wrong", f"the same command again: exit {done.code}: {done.said()}")
            return
        now = world.state(self.operation.store)
        check.did(done, now, self.after[self.operation.store], now, self.operation.store)


def both(before, after):
    """A state with the versions that an operation leaves as they are, whether it is done or not."""
    return {**before, "live": {ref: hash_ for ref, hash_ in before["live"].items()
                               if after["live"].get(ref) == hash_}}


_known = {}


def known(world, name):
    """Of this worker's world, made when first asked for."""
    key = (str(world.top), name)
    if key not in _known:
        _known[key] = Known(world, name)
    return _known[key]


def random_of(kind, seed, index):
    return random.Random(f"{kind} {seed} {index}")
