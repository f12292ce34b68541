"""A world: a home, stores and a remote in memory, made once and copied back before each trial.

The folder of the live world is always the same, so that absolute paths in settings stay good.
"""
import dataclasses
import hashlib
import http.server
import json
import os
import random
import pathlib
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile
import threading

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))

from program_environment import kept_environment  # noqa: E402
from shim import Fault  # noqa: E402

EXAMPLES = HERE.parents[1] / "examples"
MODELS = ("base", "shifted-1", "shifted-2", "shifted-3", "rotated", "extra-class", "noisy-lora")
KILLED = -signal.SIGKILL
# How errors say that a part is done: a deletion, a change whose way back failed, too, a file that took the
# place of another on a disk that cannot sync, the first of several files.
PARTIAL = ("others see it already", "in the trash now, but not deleted", "could not be taken back",
           "was put in place", "files were done before")
# What ends a program that went wrong by itself.
CRASHES = {-int(number) for number in (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGFPE,
                                       signal.SIGILL, signal.SIGPIPE, signal.SIGSYS)}


def copy_tree(source, target):
    """Bytes, modes and times; several times faster than shutil's."""
    os.mkdir(target)
    with os.scandir(source) as entries:
        for entry in entries:
            there = f"{target}/{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                copy_tree(entry.path, there)
                continue
            status = entry.stat(follow_symlinks=False)
            with open(entry.path, "rb", 0) as file:
                data = file.read()
            number = os.open(there, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            os.write(number, data)
            os.fchmod(number, status.st_mode & 0o7777)
            os.utime(number, ns=(status.st_atime_ns, status.st_mtime_ns))
            os.close(number)


def remove_tree(folder):
    """Also where a mode forbids it to others than root."""
    shutil.rmtree(folder, ignore_errors=True)
    if os.path.lexists(folder):
        for place, _, _ in os.walk(folder):
            os.chmod(place, 0o700)
        shutil.rmtree(folder)


def digest(path):
    """SHA-256 of a file, or of a folder's names and bytes; None if nothing is there."""
    if not os.path.lexists(path):
        return None
    if not os.path.isdir(path):
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    whole = hashlib.sha256()
    for place, folders, names in os.walk(path):
        folders.sort()
        for name in sorted(names):
            file = os.path.join(place, name)
            whole.update(f"{os.path.relpath(file, path)} {digest(file)}\n".encode())
    return whole.hexdigest()


def read_ref(file):
    """What a ref file says; nothing if it is damaged."""
    try:
        return json.loads(file.read_bytes())["ref"]
    except (ValueError, KeyError, TypeError):
        return {}


def content_of(file):
    return read_ref(file).get("content", "unreadable")


@dataclasses.dataclass
class Done:
    """How a command ended."""
    words: list
    code: int
    out: str
    err: str

    def crashed(self):
        return self.code in CRASHES or self.code in {128 - number for number in CRASHES}

    def killed(self):
        return self.code == KILLED

    def is_partial(self):
        """Whether the command may have done a part: it was killed, or says which part is done."""
        return self.killed() or self.code == 3 or any(text in self.err for text in PARTIAL)

    def said(self):
        """The error, or the last line where there is none."""
        lines = (self.err or self.out).strip().splitlines()
        return next((line for line in lines if line.startswith("Error")), lines[-1] if lines else "")

    def document(self):
        return json.loads(self.out.splitlines()[-1])


class World:
    """One worker's folder, below `folder`. `with World(strata, shim, folder) as world`."""

    def __init__(self, strata, shim, folder):
        self.strata = str(pathlib.Path(strata).resolve())
        self.shim = str(pathlib.Path(shim).resolve())
        self.folder = folder
        self.templates = {}
        self.helps = {}
        self.steps = 0
        self.places = {}  # addresses of servers by kind of remote (servers.py)
        self.extra = {}  # the variables that they need
        self.history = []  # the commands of this trial, for a report of a failure
        self.server = None

    def __enter__(self):
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="world-", dir=self.folder))
        self.live = self.top / "w"
        self.models = self.top / "models"
        self.log = self.top / "shim.log"
        self.streams = (self.top / "stdout", self.top / "stderr")
        self.environment = {**kept_environment(), "HOME": str(self.live / "home"), "no_proxy": "*",
                            "XDG_RUNTIME_DIR": str(self.top), "AWS_EC2_METADATA_DISABLED": "true"}
        if not self.models.exists():
            self.models.mkdir()
            for name in MODELS:
                shutil.copyfile(EXAMPLES / f"{name}.safetensors", self.models / f"{name}.safetensors")
            shutil.copytree(EXAMPLES / "mirrored", self.models / "mirrored")
            (self.models / "plain").mkdir()
            shutil.copyfile(EXAMPLES / "base.safetensors", self.models / "plain" / "model.safetensors")
            (self.models / "plain" / "labels.txt").write_text("one\ntwo\n")
            # The models of a:v2 and base, for their owner alone.
            for name, model in (("private", "shifted-2"), ("private-base", "base")):
                shutil.copyfile(EXAMPLES / f"{model}.safetensors", self.models / f"{name}.safetensors")
                (self.models / f"{name}.safetensors").chmod(0o600)
            (self.models / "list").write_text(f"new\t{self.models}/extra-class.safetensors\tbase\n")
            write_many(self.models / "many")
            write_run(self.models / "run")
        self.sources = self.stamps()
        return self

    def web(self):
        """The address of a server of this worker that gives the models."""
        if self.server is None:
            models = self.models

            class Models(http.server.SimpleHTTPRequestHandler):
                def __init__(self, *arguments):
                    super().__init__(*arguments, directory=models)

                def log_message(self, *_):
                    pass
            self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Models)
            threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{self.server.server_port}"

    def stamps(self):
        """Sizes and times of the user's files: they are never written to."""
        # What a killed watcher leaves beside checkpoints is its own: the next one removes it.
        files = sorted(path for path in self.models.rglob("*")
                       if path.is_file() and "/.strata-watch-" not in str(path))
        return [(str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in files]

    def __exit__(self, *_):
        if self.server is not None:
            self.server.shutdown()
            self.server.server_close()
        remove_tree(self.top)

    # -- commands --

    def strata_run(self, *words, store="store", fault=None, said="", place=None):
        """Runs `strata -C STORE WORDS`; `fault` is what the shim does (shim.Fault), `said` its stdin."""
        self.steps += 1
        line = [self.strata, "-C", str(self.live / store), "-j1", "--no-input", *map(str, words)]
        environment = {**self.environment, **self.extra}
        if fault is not None:
            environment.update(fault.variables(self))
        with open(self.streams[0], "wb") as out, open(self.streams[1], "wb") as err:
            try:
                code = subprocess.run(line, input=said.encode(), stdout=out, stderr=err, check=False,
                                      env=environment, cwd=place or self.top, timeout=120,
                                      start_new_session=True).returncode  # Ctrl-C is not for it
            except subprocess.TimeoutExpired:
                code = -int(signal.SIGALRM)
        done = Done([str(word) for word in words], code, self.streams[0].read_text(errors="replace"),
                    self.streams[1].read_text(errors="replace"))
        self.history.append(f"[{code}] strata -C {store} {' '.join(done.words)}"
                            + (f"   # {fault}" if fault is not None else "")
                            + (f"   {done.said()}" if code else ""))
        return done

    def run_apart(self, *words, store="store"):
        """The same without a fault, from any thread."""
        line = [self.strata, "-C", str(self.live / store), "-j1", "--no-input", *map(str, words)]
        done = subprocess.run(line, stdin=subprocess.DEVNULL, capture_output=True, check=False, text=True,
                              env={**self.environment, **self.extra}, cwd=self.top, start_new_session=True)
        self.history.append(f"[{done.returncode}] strata -C {store} {' '.join(map(str, words))}")
        return Done([str(word) for word in words], done.returncode, done.stdout, done.stderr)

    def help_of(self, command):
        if command not in self.helps:
            done = self.strata_run(command, "--help")
            self.helps[command] = done.out + done.err
        return self.helps[command]

    def must(self, *words, store="store"):
        done = self.strata_run(*words, store=store)
        if done.code != 0:
            raise AssertionError(f"strata {done.words}: exit {done.code}: {done.err}")
        return done

    # -- states --

    def begin(self, template):
        """Puts a template's state into the live folder."""
        if template not in self.templates:
            self.templates[template] = build(self, template)
        self.history = []
        remove_tree(self.live)
        copy_tree(self.top / "templates" / template, self.live)
        return self.templates[template]

    def keep_as(self, template):
        folder = self.top / "templates"
        folder.mkdir(exist_ok=True)
        remove_tree(folder / template)
        copy_tree(self.live, folder / template)

    def state(self, store="store"):
        """What the ref files say: {"live": {ref: hash}, "trash": …, "tags": …, "notes": {ref: text}}.

        No program is asked, so it costs little; `listed` asks one, and `verify` compares the two.
        """
        place = self.live / store
        live, tags, notes = {}, {}, {}
        for file in place.glob("refs/*/v*.json"):
            name, ref = f"{file.parent.name}:{file.stem}", read_ref(file)
            live[name] = ref.get("content", "unreadable")
            if ref.get("note"):
                notes[name] = ref["note"]
        for file in place.glob("refs/*/tags/*.json"):
            name, ref = file.parent.parent.name, read_ref(file)
            tags[f"{name}:{file.stem}"] = live.get(f"{name}:v{ref.get('number')}", "")
        trash = {f"{file.parent.name}:{file.stem}": content_of(file)
                 for file in place.glob("trash/*/v*.json") if not read_ref(file).get("unlisted")}
        return {"live": live, "trash": trash, "tags": tags, "notes": notes}

    def listed(self, store="store"):
        """The same as `list` and `trash list` tell it; None if they fail."""
        listed = self.strata_run("list", "--versions", "--json", store=store)
        trashed = self.strata_run("trash", "list", "--json", store=store)
        if listed.code != 0 or trashed.code != 0:
            return None
        versions = listed.document()["versions"]
        tags = {f"{one['name']}:{tag if isinstance(tag, str) else tag['tag']}": one["hash"]
                for one in versions for tag in one["tags"]}
        return {"live": {one["ref"]: one["hash"] for one in versions},
                "trash": {one["ref"]: one["hash"] for one in trashed.document()["versions"]},
                "tags": tags,
                "notes": {one["ref"]: one["note"] for one in versions if one["note"]}}

    def restored(self, ref, store="store"):
        """The digest of what `restore` gives, and how the command ended."""
        target = self.top / "back"
        remove_tree(target) if target.is_dir() else target.unlink(missing_ok=True)
        done = self.strata_run("restore", ref, "-o", target, store=store)
        return (digest(target) if done.code == 0 else None), done

    def restored_mode(self):
        """The permission bits of what `restored` gave last, of one that exited 0."""
        return (self.top / "back").stat().st_mode & 0o777


# -- templates --

@dataclasses.dataclass
class Template:
    """What a prepared world promises: for each store the digest of each version, live or trashed."""
    promised: dict  # store -> {ref: digest}
    hashes: dict  # store -> {ref: content hash}, trashed ones too
    needs: dict  # of `store`: ref -> paths of the files that the version itself is made of
    parents: dict  # of `store`: ref -> ref of its parent, or None
    modes: dict  # (ref, content hash) -> permission bits of what a live version restores to


# What each version of `fill` was made of: adding it again mends what is damaged.
ORIGINALS = {
    "base:v1": ("import", "base.safetensors", "--name", "base"),
    "a:v1": ("add", "shifted-1.safetensors", "a"),
    "a:v2": ("add", "shifted-2.safetensors", "a"),
    "folder:v1": ("add", "mirrored", "folder"),
    "older:v1": ("add", "plain", "older"),
    "old:v1": ("add", "shifted-3.safetensors", "old"),
    "lossy:v1": None,  # what it restores to is no file of the user's
}


def add_again(world, ref):
    """The words that add a version's model again; none for a lossy one."""
    if ORIGINALS.get(ref) is None:
        return None
    verb, model, *more = ORIGINALS[ref]
    return (verb, world.models / model, *more) if verb == "import" else (verb, *more, world.models / model)


def fill(world):
    """A base, exact and lossy versions, a folder, a tag, and one version in the trash."""
    model = world.models
    world.must("init")
    world.must("import", model / "base.safetensors", "--name", "base")
    world.must("add", "a", model / "shifted-1.safetensors", "--base", "base", "--tag", "prod")
    keep_older_catalog(world)
    world.must("add", "a", model / "shifted-2.safetensors", "--base", "base")
    world.must("add", "lossy", model / "rotated.safetensors", "--base", "base", "--profile", "small")
    world.must("add", "folder", model / "mirrored", "--base", "base")
    world.must("add", "older", model / "plain", "--base", "base")
    world.must("add", "old", model / "shifted-3.safetensors", "--base", "base")


def write_many(folder):
    """A base of some kilobytes and a hundred fine-tunes of it."""
    folder.mkdir()
    chance = random.Random(7)
    words = [chance.gauss(0, 0.05) for _ in range(1024)]
    header = json.dumps({"w": {"dtype": "F32", "shape": [32, 32], "data_offsets": [0, 4096]}}).encode()
    for number in range(101):
        tuned = [word + (chance.gauss(0, 0.001) if number and chance.random() < 0.2 else 0) for word in words]
        data = struct.pack("<Q", len(header)) + header + struct.pack("<1024f", *tuned)
        (folder / f"{'base' if number == 0 else f'tuned-{number:03}'}.safetensors").write_bytes(data)


def write_run(folder):
    """Two checkpoints of a training, as transformers writes them."""
    chance = random.Random(8)
    words = [chance.gauss(0, 0.05) for _ in range(1024)]
    header = json.dumps({"w": {"dtype": "F32", "shape": [32, 32], "data_offsets": [0, 4096]}}).encode()
    for step in (10, 20):
        place = folder / f"checkpoint-{step}"
        place.mkdir(parents=True)
        words = [word + chance.gauss(0, 0.001) for word in words]
        data = struct.pack("<Q", len(header)) + header + struct.pack("<1024f", *words)
        (place / "model.safetensors").write_bytes(data)
        for name, size in (("optimizer.pt", 8192), ("scheduler.pt", 100), ("rng_state.pth", 100)):
            (place / name).write_bytes(b"\x80\x02" + chance.randbytes(size))
        (place / "trainer_state.json").write_text(json.dumps({"global_step": step, "log_history": []}))


def fold_catalog(path):
    """Writes the catalog's log into it, as at an ordinary end: then it is one file."""
    database = sqlite3.connect(path)
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()


def keep_older_catalog(world):
    """A copy from before the later versions, for trials that put it back."""
    fold_catalog(world.live / "store" / "catalog.sqlite")
    shutil.copyfile(world.live / "store" / "catalog.sqlite", world.live / "older.sqlite")


def fill_with_trash(world):
    fill(world)
    world.must("remove", "old")


def fill_with_remote(world):
    """A remote folder that has some of the versions, and a second store that lacks others."""
    fill_with_trash(world)
    (world.live / "remote").mkdir()
    world.must("remote", "add", "lab", f"file://{world.live}/remote", "--default")
    world.must("push", "base", "a:v1", "lab")
    world.must("init", store="other")
    world.must("remote", "add", "lab", f"file://{world.live}/remote", "--default", store="other")
    world.must("pull", "base", "lab", store="other")
    world.must("add", "theirs", world.models / "noisy-lora.safetensors", "--base", "base", store="other")
    world.must("push", "theirs", "lab", store="other")


def fill_with_taken(world):
    """The remote has another model under the number of a version here that it lacks."""
    fill_with_remote(world)
    world.must("add", "a", world.models / "extra-class.safetensors", "--base", "base", store="other")
    world.must("push", "a", "lab", store="other")


def fill_twice_removed(world):
    """More in the trash, with a pack of its own each, so that emptying it deletes much."""
    fill(world)
    world.must("add", "gone", world.models / "extra-class.safetensors", "--base", "base")
    world.must("add", "gone", world.models / "noisy-lora.safetensors", "--base", "none")
    world.must("remove", "old")
    world.must("remove", "gone", "--all")


def fill_with_garbage(world):
    """As after an `add` that was killed when its objects were written, and its ref was not."""
    fill_with_trash(world)
    words = ("add", "new", world.models / "extra-class.safetensors", "--base", "base")
    world.keep_as("garbage")
    world.strata_run(*words, fault=Fault(calls="n", trace=True))
    names = world.log.read_text().splitlines()
    ref = next(int(line.split()[0]) for line in names if "/refs/new" in line or "/tmp/write" in line)
    remove_tree(world.live)
    copy_tree(world.top / "templates" / "garbage", world.live)
    world.strata_run(*words, fault=Fault("kill", ref, "n"))


def fill_for_git(world):
    fill_with_trash(world)
    (world.live / "git" / ".git").mkdir(parents=True)


def fill_with_modes(world):
    """Versions of one content that were added with different permission bits."""
    fill_with_trash(world)
    world.must("add", "a", world.models / "private.safetensors")


def fill_with_recoding(world):
    """A version that was coded anew, and its former objects."""
    fill_with_trash(world)
    world.must("recode", "a:v1", "--flatten")


def fill_without_base(world):
    """A remote whose base lies on a web server, and a second store that has nothing."""
    (world.live / "remote").mkdir()
    for store in ("store", "other"):
        world.must("init", store=store)
        world.must("remote", "add", "lab", f"file://{world.live}/remote", "--default", store=store)
    world.must("import", f"{world.web()}/base.safetensors", "--name", "base")
    world.must("add", "a", world.models / "shifted-1.safetensors", "--base", "base")
    world.must("add", "a", world.models / "shifted-2.safetensors", "--base", "base")
    world.must("push", "--no-base")


def fill_with_hundred(world):
    """A remote of a hundred small versions, and a second store that has nothing."""
    (world.live / "remote").mkdir()
    for store in ("store", "other"):
        world.must("init", store=store)
        world.must("remote", "add", "lab", f"file://{world.live}/remote", "--default", store=store)
    many = world.models / "many"
    world.must("import", many / "base.safetensors", "--name", "base")
    world.must("add", "run", *sorted(many.glob("tuned-*.safetensors")), "--base", "base")
    world.must("push", "lab")


def fill_with_notes(world):
    """A note was edited in a store and in a second one, since both have the versions of a remote."""
    fill_with_remote(world)
    world.must("pull", "lab", store="other")
    world.must("push", "lab")
    world.must("pull", "lab", store="other")
    world.must("note", "a:v1", "passed review")
    world.must("note", "theirs", "of another store", store="other")
    world.must("push", "lab", store="other")


def fill_with_pages(world):
    """The same; its list is so long that it is in pages: of tags with long notes."""
    fill_with_remote(world)
    for number in range(40):
        world.must("tag", "a:v1", f"mark-{number:02}", "--note", 9000 * "n")
    world.must("push", "a:v1", "lab")
    # A page that the newest list shares with the one before it, and one that it does not.
    world.must("tag", "a:v1", "zz-last")
    world.must("push", "a:v1", "lab")
    if len(list((world.live / "remote/pages").iterdir())) < 3:
        raise AssertionError("the list is not in pages")


def newest_page(world):
    """Of the remote's newest list the first one, which lists before it have, too."""
    newest = max((world.live / "remote/refs").iterdir())
    number, hash_, _ = json.loads(newest.read_text())["pages"][0]
    return world.live / f"remote/pages/{number:020}-{hash_}"


MAKERS = {"modes": fill_with_modes, "recoded": fill_with_recoding, "elsewhere": fill_without_base,
          "pages": fill_with_pages, "taken": fill_with_taken,
          "hundred": fill_with_hundred, "notes": fill_with_notes,
          "nothing": lambda world: None, "filled": fill_with_trash, "remote": fill_with_remote,
          "trash": fill_twice_removed, "garbage": fill_with_garbage, "git": fill_for_git}


def object_path(hexadecimal):
    return f"store/objects/{hexadecimal[:2]}/{hexadecimal[2:]}"


def describe(world):
    """The promises of the live world."""
    promised, hashes, needs, parents, modes = {}, {}, {}, {}, {}
    for store in ("store", "other"):
        if not (world.live / store / "store.toml").exists():
            continue
        state = world.state(store)
        hashes[store] = {**state["live"], **state["trash"]}
        promised[store] = {}
        for ref in state["live"]:
            promised[store][ref], done = world.restored(ref, store)
            if done.code != 0:
                raise AssertionError(f"{ref}: {done.err}")
            modes[ref, state["live"][ref]] = world.restored_mode()
    for ref in promised.get("store", {}):
        needs[ref], parents[ref] = parts_of(world, ref, "refs")
    return Template(promised, hashes, needs, parents, modes)


def parts_of(world, ref, place):
    """The files that a live version of `store` is made of, with its ref file in `place`; its parent."""
    shown = world.must("show", ref, "--json").document()
    name, number = ref.split(":")
    objects = [shown["version"]["manifest"], *shown["packs"]]
    files = {f"store/{place}/{name}/{number}.json", *map(object_path, objects)}
    return files, shown["version"]["parent"]


def build(world, template):
    """Makes a template in the live folder and keeps a copy."""
    remove_tree(world.live)
    world.live.mkdir()
    (world.live / "home").mkdir()
    MAKERS[template](world)
    # Trashed versions are promised, too: they are restored from a copy that lists them.
    world.keep_as(template)
    described = describe(world)
    for store in described.promised:
        trashed = world.state(store)["trash"]
        for ref in trashed:
            world.must("trash", "restore", ref, store=store)
            described.promised[store][ref], _ = world.restored(ref, store)
            if store == "store":
                described.needs[ref], described.parents[ref] = parts_of(world, ref, "trash")
    return described
