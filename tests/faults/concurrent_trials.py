"""Writers, readers, gc and pulls at the same time, and two machines on one remote.

A trial is one bounded run of all of them. Every command exits 0, and nothing is lost.
"""
import concurrent.futures
import itertools
import os
import random

import servers
from invariant import FALSE_ALARM, LOST, WRONG, Check
from trial import Verdict, case_of, words_of
from world import digest

WRITERS = READERS = 8
ROUNDS = 2
ALONE = ("one store", "two machines, file")  # these need no server
_numbers = itertools.count()


def variation(world, seed, name):
    """A model of its own: some bytes of weights of `shifted-1` are others."""
    data = bytearray((world.models / "shifted-1.safetensors").read_bytes())
    chance = random.Random(f"{seed} {name}")
    for _ in range(300):
        data[chance.randrange(8192, len(data))] ^= 1 << chance.randrange(8)
    folder = world.top / "variations"
    folder.mkdir(exist_ok=True)
    file = folder / f"{name}.safetensors"
    file.write_bytes(data)
    return file


def plan(world, kind, index, seed, chosen=None):
    places = [*ALONE, *(f"two machines, {one}" for one in world.places)]
    places = [place for place in places if not chosen or place in chosen]
    return case_of(kind, place=places[index % len(places)].replace(", ", "/"), seed=seed * 1000 + index)


def run(world, case):
    kind, values = words_of(case)
    place, seed = values["place"].replace("/", ", "), int(values["seed"])
    world.begin("remote")
    check = Check(world, {})
    if place == "one store":
        one_store(check, seed)
    else:
        two_machines(check, seed, place.rpartition(" ")[2])
    return Verdict(f"concurrent, {place}", case, False, check.findings, list(world.history))


class Crowd:
    """Commands at the same time; each has to exit 0."""

    def __init__(self, check):
        self.check, self.world = check, check.world

    def run(self, *words, store="store", column=WRONG, allowed=(0,)):
        done = self.world.run_apart(*words, store=store)
        if not self.check.crash(done) and done.code not in allowed:
            self.check.add(column, f"{' '.join(done.words)}: exit {done.code}: {done.said()}")
        return done

    def together(self, jobs):
        with concurrent.futures.ThreadPoolExecutor(len(jobs)) as pool:
            for future in [pool.submit(job) for job in jobs]:
                future.result()


def one_store(check, seed):
    """8 writers, 8 readers, gc, a check and a pull; then every version that was added restores."""
    world, crowd = check.world, Crowd(check)
    template = world.templates["remote"]
    expected = {}

    def write(number):
        for turn in range(ROUNDS):
            name = f"w{number}-{turn}"
            model = variation(world, seed, name)
            if crowd.run("add", name, model, "--base", "base").code == 0:
                expected[f"{name}:v1"] = digest(model)
            crowd.run("tag", f"{name}:v1", "done")

    def read(number):
        refs = ("a:v1", "a:v2", "base:v1", "folder:v1")
        for turn in range(ROUNDS):
            ref = refs[(number + turn) % len(refs)]
            target = world.top / f"read-{number}-{turn}"
            if crowd.run("restore", ref, "-o", target, "--force", column=LOST).code == 0 and \
                    digest(target) != template.promised["store"][ref]:
                check.add(WRONG, f"{ref}: restored other bytes while others wrote")

    def clean():
        for _ in range(ROUNDS):
            crowd.run("gc", "--yes")
            crowd.run("verify", column=FALSE_ALARM)

    def pull():
        crowd.run("pull", "lab")

    crowd.together([*(lambda n=n: write(n) for n in range(WRITERS)),
                    *(lambda n=n: read(n) for n in range(READERS)), clean, pull])
    check.must(FALSE_ALARM, "verify", "--rebuild")
    check.must(FALSE_ALARM, "gc", "--yes")
    for ref, wanted in {**expected, **template.promised["store"]}.items():
        if ref in ("old:v1",):
            continue  # in the trash
        back, done = world.restored(ref)
        if back != wanted:
            check.add(LOST if done.code else WRONG, f"{ref}: restore exits {done.code}: {done.said()}")
    check.must(FALSE_ALARM, "verify")


def two_machines(check, seed, kind):
    """Two stores push to one remote and pull from it at the same time; both end with everything."""
    world, crowd = check.world, Crowd(check)
    url = f"file://{world.live}/shared"
    options = ()
    if kind != "file":
        url = servers.url(world.places, kind, f"c{seed}-{os.getpid()}-{next(_numbers)}")
        options = servers.options(world.places, kind)
    for store in ("store", "other"):
        crowd.run("remote", "add", "shared", url, *options, store=store)
    expected = {}

    def machine(store):
        for turn in range(3):
            name = f"{store}-{turn}"
            model = variation(world, seed, name)
            crowd.run("add", name, model, "--base", "base", store=store)
            expected[f"{name}:v1"] = digest(model)
            crowd.run("push", name, "shared", store=store)
            crowd.run("pull", "shared", store=store)

    crowd.together([lambda: machine("store"), lambda: machine("other")])
    for store in ("store", "other"):
        crowd.run("push", "shared", store=store)
        crowd.run("pull", "shared", store=store)
    crowd.run("pull", "shared", store="store")
    for store in ("store", "other"):
        check.must(FALSE_ALARM, "verify", "--rebuild", store=store)
        for ref, wanted in expected.items():
            back, done = world.restored(ref, store)
            if back != wanted:
                check.add(LOST if done.code else WRONG,
                          f"{store}: {ref}: restore exits {done.code}: {done.said()}")
