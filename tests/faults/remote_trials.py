"""Kills and errors while versions are exchanged with servers: a hub, a registry, a bucket.

Calls on sockets count, too: there an I/O error is a connection that breaks.
"""
import itertools
import os

import servers
from invariant import LOST, WRONG, Check, contents
from kill_trials import spread
from shim import MUTATING, Fault, count_calls, hit
from trial import Verdict, case_of, random_of, words_of

ACTIONS = ("push", "push more", "pull", "clone", "fetch")
DEEDS = {"kill": MUTATING + "k", "torn": MUTATING + "k", "EIO": "k", "short": "k", "ENOSPC": "cwnmts",
         "EDQUOT": "cwnmts"}
_numbers = itertools.count()
_filled, _totals = {}, {}


def fresh(world):
    return f"m{os.getpid()}-{next(_numbers)}"


def template_of(server, turn):
    """A bucket's list is in pages, by turns; others have none."""
    return "pages" if server == "s3" and turn // len(ACTIONS) % 2 else "remote"


def begin(world, server, action, name):
    """The world before the action, which has that name; the remote's URL."""
    template = world.begin(name)
    places = world.places
    if action in ("push", "push more"):
        url = servers.url(places, server, fresh(world))
    else:
        url = _filled.get((server, name)) or fill(world, server, name)
    for store in ("store", "other"):
        world.must("remote", "add", "far", url, *servers.options(places, server), store=store)
    if action == "push more":
        world.must("push", "a:v1", "far")
    return template, url


def fill(world, server, name):
    """A remote with all versions, which only readers use."""
    url = servers.url(world.places, server, fresh(world))
    world.must("push", url)
    _filled[server, name] = url
    return url


def words(action, url, world):
    return {"push": ("push", "far"), "push more": ("push", "far"), "pull": ("pull", "far"),
            "clone": ("clone", url, world.live / "third"), "fetch": ("fetch", "far")}[action]


def store_of(action):
    return "store" if action.startswith("push") else "other"


def do(world, action, url, fault=None):
    return world.strata_run(*words(action, url, world), store=store_of(action), fault=fault)


def plan(world, kind, index, seed, chosen=None):
    chance = random_of(kind, seed, index)
    kinds = [one for one in world.places if not chosen or one in chosen]
    turn = index // len(kinds)
    server, action = kinds[index % len(kinds)], ACTIONS[turn % len(ACTIONS)]
    # Kills and errors by turns; the number of actions is odd, so each action gets both.
    deed = chance.choice(("kill", "torn") if turn % 2 else ("EIO", "EIO", "short", "ENOSPC", "EDQUOT"))
    calls = DEEDS[deed]
    name = template_of(server, turn)
    key = (server, action, calls, name)
    if key not in _totals:
        _, url = begin(world, server, action, name)
        _totals[key], done = count_calls(world, lambda fault: do(world, action, url, fault), calls)
        if done.code != 0 or not _totals[key]:
            raise AssertionError(f"{server} {action}: exit {done.code}: {done.err}")
    total = _totals[key]
    at = spread(total, turn // (2 * len(ACTIONS)) * 37 + seed)
    return case_of(kind, server=server, action=action.replace(" ", "-"), deed=deed, at=at, turn=index,
                   template=name)


def run(world, case):
    kind, values = words_of(case)
    server, action, deed = values["server"], values["action"].replace("-", " "), values["deed"]
    template, url = begin(world, server, action, values.get("template", "remote"))
    world.steps = int(values["turn"]) * 1000
    hashes = {store: template.hashes[store] for store in ("store", "other")}
    digests = {hashes[store][ref]: found for store in hashes
               for ref, found in template.promised[store].items()}
    check = Check(world, digests)
    before = {store: world.state(store) for store in hashes}
    done = do(world, action, url, Fault(deed, int(values["at"]), DEEDS[deed]))
    world.history.append(f"    met: {hit(world)}")
    check.crash(done)
    if action == "push" or action == "push more":
        after_push(check, done, before["store"], url)
    else:
        after_pull(check, done, before["store"], action, url)
    for store in hashes:
        check.sound(store)
        kept = contents(before[store]) - contents(world.state(store))
        if kept:
            check.add(LOST, f"{store}: {len(kept)} versions are gone")
    name = "kills" if deed in ("kill", "torn") else "errors"
    return Verdict(f"{name}, {server}", case, done.code != 0, check.findings, list(world.history))


def after_push(check, done, before, url):
    """A clone has what was sent: at once after exit 0, else after the same push again."""
    if done.code != 0 and not check.must(WRONG, "push", "far"):
        return
    cloned(check, before, url)


def cloned(check, before, url):
    world = check.world
    if not check.must(LOST, "clone", url, str(world.live / "check")):
        return
    missing = set(before["live"].values()) - contents(world.state("check"))
    if missing:
        check.add(LOST, f"{len(missing)} versions that were pushed are not in a clone")
    check.must(LOST, "verify", "--rebuild", store="check")


def after_pull(check, done, there, action, url):
    """The versions are here: at once after exit 0, else after a pull that goes on."""
    world = check.world
    store = "third" if action == "clone" else "other"
    if action == "fetch":
        return
    if done.code != 0:
        if not (world.live / store / "store.toml").exists():
            return
        if not check.must(WRONG, "pull", url, store=store):
            return
    check.sound(store)
    now = world.state(store)
    missing = set(there["live"].values()) - contents(now)
    if missing:
        check.add(LOST, f"{store}: {len(missing)} versions of the remote are not here")
    if len(set(now["live"].values())) < len(now["live"]):
        check.add(WRONG, f"{store}: a version is listed twice: {sorted(now['live'])}")
    check.must(LOST, "verify", "--rebuild", store=store)
    refs = sorted(now["live"])
    chosen = refs[done.code % len(refs)] if refs else None
    if chosen:
        check.restores({chosen: now["live"][chosen]}, store)
