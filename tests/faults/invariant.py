"""The one invariant, which holds after every trial.

- Each version that was ever reported with exit 0 restores byte for byte, with the permission bits that it
  was added with, unless its deletion was asked for.
- `verify` exits 0 unless something was damaged, and then `verify --rebuild` does so, too.
- A command that exited 0 did what it says; one that failed did nothing, or its error names what it did; a
  killed one did all or nothing of each version.
- No program ends by a signal that nobody sent, and the user's files stay as they are.
"""
import json

from world import digest

LOST, WRONG, CRASHED, FALSE_ALARM = "lost", "wrong", "crashed", "false alarm"


def contents(state):
    """The content hashes that a state holds, live or in the trash."""
    return set(state["live"].values()) | set(state["trash"].values()) if state else set()


class Check:
    """Gathers what does not hold. `digests` says what each content hash restores to, `modes` with which
    permission bits each version of a ref and a content does."""

    def __init__(self, world, digests, modes=None):
        self.world = world
        self.digests = digests
        self.modes = modes or {}
        self.findings = []

    def add(self, column, text):
        self.findings.append((column, text))

    def run(self, *words, store="store"):
        done = self.world.strata_run(*words, store=store)
        self.crash(done)
        return done

    def crash(self, done):
        if done.crashed():
            self.add(CRASHED, f"{' '.join(done.words)}: exit {done.code}: {done.said()}")
        return done.crashed()

    def must(self, column, *words, store="store"):
        """A command that has to succeed; whether it did."""
        done = self.run(*words, store=store)
        if done.code != 0 and not done.crashed():
            self.add(column, f"{' '.join(words)}: exit {done.code}: {done.said()}")
        return done.code == 0

    def listed(self, now, store="store"):
        """`list` tells what the refs say."""
        found = self.world.listed(store)
        if found is None:
            self.add(LOST, f"{store}: list fails")
        elif found != now:
            self.add(WRONG, f"{store}: list differs from the refs: {difference(now, found)}")

    def restores(self, refs, store="store"):
        """Each of `refs` (ref to content hash) comes back byte for byte."""
        for ref, hash_ in refs.items():
            back, done = self.world.restored(ref, store)
            if self.crash(done):
                continue
            if done.code != 0:
                self.add(LOST, f"{store}: {ref}: restore exits {done.code}: {done.said()}")
            elif self.digests.get(hash_) not in (None, back):
                self.add(WRONG, f"{store}: {ref}: restored other bytes than were stored")
            else:
                mode = self.world.restored_mode()
                if self.modes.get((ref, hash_)) not in (None, mode):
                    self.add(WRONG, f"{store}: {ref}: restored with mode {mode:o}")

    def did(self, done, before, after, now, store="store"):
        """Whether the exit code is true to the state `now`."""
        what = " ".join(done.words[:2])
        if done.code == 0:
            if now != after:
                # What only the next writer brings into the ref files is listed already.
                now = self.world.listed(store) or now
            if now != after:
                column = LOST if contents(after) - contents(now) else WRONG
                self.add(column, f"{store}: {what}: exit 0, but: {difference(after, now)}")
            return
        if not done.is_partial():
            if now != before:
                kept = contents(before) & contents(after)
                column = LOST if kept - contents(now) else WRONG
                self.add(column, f"{store}: {what}: exit {done.code}, but: {difference(before, now)}")
            return
        lost = (contents(before) & contents(after)) - contents(now)
        for ref, hash_ in {**before["live"], **before["trash"]}.items():
            if hash_ in lost:
                self.add(LOST, f"{store}: {ref} is gone after {what} was killed")
        for ref, hash_ in before["live"].items():
            if after["live"].get(ref) == hash_ and now["live"].get(ref) != hash_:
                self.add(LOST, f"{store}: {ref} is not listed after {what} was killed")
        for tag, hash_ in before["tags"].items():
            if after["tags"].get(tag) == hash_ and now["tags"].get(tag) != hash_:
                self.add(LOST, f"{store}: tag {tag} is gone after {what} was killed")
        for ref, note in before["notes"].items():
            stays = after["notes"].get(ref) == note and now["live"].get(ref) == before["live"][ref]
            if stays and now["notes"].get(ref) != note:
                self.add(LOST, f"{store}: the note of {ref} is gone after {what} was killed")
        for ref, hash_ in now["live"].items():
            if hash_ not in contents(before) | contents(after):
                self.add(WRONG, f"{store}: {ref} came from nowhere after {what} was killed")

    def sound(self, store="store"):
        self.must(FALSE_ALARM, "verify", store=store)

    def settled(self, turn, store="store", promised=None):
        """What comes next: a writer, something that deletes, a deep look. Nothing is lost by that.

        `promised` is the new state where the command exited 0, else what that and the old one share.

        The state that it ends in; a store that was half changed may be finished by the writer.
        """
        world = self.world
        first = world.state(store)
        if turn % 4 == 1:
            self.must(FALSE_ALARM, "add", "later", world.models / "rotated.safetensors", store=store)
            self.must(FALSE_ALARM, "remove", "later", "--now", "--yes", store=store)
        if turn % 4 == 2:
            self.must(FALSE_ALARM, "verify", "--rebuild-catalog", store=store)
        if turn % 8 == 3:  # what an unfinished command left may be listed by the next writer only
            known = (promised or first)["live"].items()
            self.restores({ref: hash_ for ref, hash_ in known if first["live"].get(ref) == hash_}, store)
        if (world.live / store / "parity").exists():
            self.protected(turn, store)
        self.must(FALSE_ALARM, "gc", "--yes", store=store)
        self.must(FALSE_ALARM, "verify", "--rebuild", store=store)
        now = world.state(store)
        if turn % 4 == 0:
            self.listed(now, store)
        refs = sorted(now["live"])
        chosen = refs if turn % 8 == 0 else [refs[turn % len(refs)]] if refs else []
        self.restores({ref: now["live"][ref] for ref in chosen}, store)
        return now

    def protected(self, turn, store):
        """Parity names no object that is gone. The next writer protects all there are, and any two
        files that are lost come back."""
        place = self.world.live / store
        if self.parity(store)["absent_objects"] != 0:
            self.add(WRONG, f"{store}: parity names objects that are gone")
        self.must(FALSE_ALARM, "config", "set", "parity", "2/10", "--in-store", store=store)
        if self.parity(store)["unprotected_objects"] != 0:
            self.add(WRONG, f"{store}: objects are not protected")
        files = sorted(path for folder in ("objects", "parity") for path in (place / folder).rglob("*")
                       if path.is_file() and path.name != "behind")
        for at in (turn, 3 * turn + 1):
            if files:
                files.pop(at % len(files)).unlink()
        self.must(LOST, "verify", "--repair", store=store)

    def parity(self, store):
        state = json.loads(self.run("info", "--json", store=store).out)["store"]["parity"]
        return state or {"absent_objects": 0, "unprotected_objects": 0}

    def trash_comes_back(self, now, store="store"):
        if now["trash"]:
            self.must(LOST, "trash", "restore", *now["trash"], store=store)
            self.restores(now["trash"], store)

    def files(self, done, before, after):
        """Watched files are old or new as a whole."""
        for path, old in before.items():
            new, now = after[path], digest(self.world.live / path)
            wanted = {new} if done.code == 0 else {old, new} if done.is_partial() else {old}
            if now not in wanted:
                kind = "a mixture" if now not in (old, new) else "old" if now == old else "new"
                self.add(WRONG, f"{path} is {kind} after exit {done.code} of {' '.join(done.words[:2])}")

    def sources(self):
        for was, now in zip(self.world.sources, self.world.stamps()):
            if was != now:
                self.add(WRONG, f"the user's own file was changed: {was} is now {now}")


def difference(wanted, now):
    parts = []
    for key in ("live", "trash", "tags", "notes"):
        for name in sorted({**wanted[key], **now[key]}):
            if wanted[key].get(name) != now[key].get(name):
                parts.append(f"{key} {name} is {'missing' if name not in now[key] else 'there'}")
    return ", ".join(parts) or "nothing differs"
