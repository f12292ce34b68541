"""Every operation that faults are tried on: a prepared world and one command.

What a command does is not written down here: it is run once without a fault, and the state before and
after is what the invariant compares with.
"""
import dataclasses
import hashlib
import json

from world import newest_page


@dataclasses.dataclass(frozen=True)
class Operation:
    """`{m}` in words is the folder of models, `{w}` the live world, `{many}` a hundred models."""
    name: str
    template: str
    words: tuple
    place: str = "local"  # or "file": it exchanges with a folder
    store: str = "store"
    watched: tuple = ()  # files or folders below the live world that are old or new, never between
    again: bool = False  # after a kill, the same command has to succeed before anything is looked at
    source: str = ""  # below models: what it reads
    prepared: tuple = ()  # commands that come first, each a tuple
    said: str = ""  # on stdin
    slow: bool = False
    finish: tuple = ()  # (store, words…) brings what is still missing there, before it is looked at
    once: bool = False  # the same command again is refused
    loses_page: bool = False  # a page of the remote's list is lost before it
    probe: tuple = ()  # (command, text): programs whose help of the command lacks the text cannot

    def filled(self, words, world):
        found = []
        for word in words:
            many = sorted((world.models / "many").glob("tuned-00*")) if word == "{many}" else ()
            found += many or [word.format(m=world.models, w=world.live)]
        return found

    def is_known(self, world):
        """Whether the program under test has this operation."""
        return not self.probe or self.probe[1] in world.help_of(self.probe[0])

    def prepare(self, world):
        for words in self.prepared:
            world.must(*self.filled(words, world), store=self.store)
        if self.loses_page:
            newest_page(world).unlink()

    def run(self, world, fault=None):
        if not self.said:
            return world.strata_run(*self.filled(self.words, world), store=self.store, fault=fault)
        done = world.strata_run(*self.words, store=self.store, fault=fault, place=world.live / "git",
                                said=lfs_lines(world, self.source))
        # The agent answers for each object and exits 0.
        failed = done.code == 0 and '"error"' in done.out
        return dataclasses.replace(done, code=1) if failed else done


def lfs_lines(world, source):
    data = (world.models / source).read_bytes()
    upload = {"event": "upload", "oid": hashlib.sha256(data).hexdigest(), "size": len(data),
              "path": str(world.models / source), "action": None}
    lines = ({"event": "init", "operation": "upload"}, upload, {"event": "terminate"})
    return "".join(json.dumps(line) + "\n" for line in lines)


SETTINGS = ("home/.config/strata/config.toml", "home/.config/strata/profiles/mine.toml",
            "store/config.toml", "store/remotes.toml")
PARITY = ("config", "set", "parity", "2/10", "--in-store")
PROTECTED = ("verify", "by parity")  # programs without it have no such value
EXTRA, NOISY = "extra-class.safetensors", "noisy-lora.safetensors"
LOCAL = [
    Operation("init", "nothing", ("init",), again=True),
    Operation("import", "filled", ("import", "{m}/" + EXTRA, "--name", "second"), source=EXTRA),
    Operation("add-exact", "filled", ("add", "new", "{m}/" + EXTRA, "--base", "base", "--tag", "fresh"),
              source=EXTRA),
    Operation("add-parity", "filled", ("add", "new", "{m}/" + EXTRA, "--base", "base"), source=EXTRA,
              prepared=(PARITY,), probe=PROTECTED),
    Operation("set-parity", "filled", PARITY, again=True, probe=PROTECTED),
    Operation("remove-parity", "filled", ("remove", "--now", "a:v2", "--yes"), prepared=(PARITY,),
              probe=PROTECTED),
    Operation("gc-parity", "filled", ("gc", "--yes"), probe=PROTECTED,
              prepared=(PARITY, ("remove", "a:v2"), ("trash", "empty", "--yes"))),
    Operation("add-lossy", "filled", ("add", "new", "{m}/" + NOISY, "--base", "base", "--profile", "small"),
              source=NOISY),
    Operation("add-folder", "nothing", ("add", "first", "{m}/mirrored", "--base", "none"), source="mirrored",
              prepared=(("init",),)),
    Operation("add-next", "filled", ("add", "a", "{m}/" + NOISY, "--tag", "next", "-m", "a note"),
              source=NOISY),
    Operation("add-shared", "filled", ("add", "same", "{m}/shifted-1.safetensors"),
              source="shifted-1.safetensors"),
    Operation("add-again", "filled", ("add", "a", "{m}/shifted-2.safetensors"),
              source="shifted-2.safetensors"),
    Operation("add-removed", "filled", ("add", "returned", "{m}/shifted-3.safetensors"),
              source="shifted-3.safetensors"),
    Operation("tag", "filled", ("tag", "a:v2", "newest")),
    Operation("tag-move", "filled", ("tag", "a:v2", "prod", "--move", "--note", "passed")),
    Operation("tag-remove", "filled", ("tag", "remove", "a:prod")),
    Operation("add-private", "filled", ("add", "a", "{m}/private.safetensors"), source="private.safetensors"),
    Operation("add-public", "modes", ("add", "a", "{m}/shifted-2.safetensors"),
              source="shifted-2.safetensors"),
    Operation("remove-public", "modes", ("remove", "a:v2", "--now", "--yes"), once=True),
    Operation("recode-modes", "modes", ("recode", "a:v3", "--flatten")),
    Operation("undo-private", "modes", ("undo",), once=True),
    Operation("add-many", "filled", ("add", "run", "{many}", "--base", "none")),
    Operation("add-list", "filled", ("add", "--from", "{m}/list"), source=EXTRA,
              probe=("add", "--from")),
    Operation("undo-many", "filled", ("undo",), once=True,
              prepared=(("add", "run", "{many}", "--base", "none"),)),
    Operation("snapshot", "filled", ("snapshot", "training", "{m}/run/checkpoint-10"),
              probe=("snapshot", "RUN PATH")),
    Operation("watch-once", "filled", ("watch", "{m}/run", "--run", "training", "--once"),
              probe=("watch", "--once")),
    Operation("resume", "filled", ("resume", "training", "-o", "{w}/out"), watched=("out",),
              prepared=(("snapshot", "training", "{m}/run/checkpoint-10"),),
              probe=("resume", "--step")),
    Operation("note", "filled", ("note", "a:v1", "passed review"), probe=("note", "REF TEXT")),
    Operation("source", "filled", ("source", "base", "https://example.org/base.onnx"),
              probe=("source", "REF URL")),
    Operation("remove", "filled", ("remove", "a")),
    Operation("remove-all", "filled", ("remove", "a", "folder", "--all")),
    Operation("remove-now", "filled", ("remove", "a", "--all", "--now", "--yes")),
    Operation("remove-parent-now", "filled", ("remove", "base", "--now", "--yes"), once=True,
              probe=("remove", "restore as before")),
    Operation("prune", "filled", ("prune", "a", "--keep-last", "1"), probe=("prune", "--keep-last")),
    Operation("undo-remove", "filled", ("undo",), once=True, probe=("undo", "redo")),
    Operation("undo-add", "filled", ("undo",), once=True, probe=("undo", "redo"),
              prepared=(("add", "a", "{m}/" + NOISY, "--tag", "prod"),)),
    Operation("redo", "filled", ("redo",), once=True, prepared=(("undo",),), probe=("undo", "redo")),
    Operation("trash-restore", "trash", ("trash", "restore", "old", "gone:v1", "gone:v2")),
    Operation("trash-empty", "trash", ("trash", "empty", "--yes")),
    Operation("recode", "filled", ("recode", "a:v1", "--flatten"), probe=("recode", "--flatten")),
    Operation("recode-merge", "filled", ("recode", "lossy", "--merge"), probe=("recode", "--merge"),
              prepared=(("add", "lossy", "{m}/" + NOISY, "--chain", "--profile", "small"),)),
    Operation("undo-recode", "recoded", ("undo",), once=True),
    Operation("redo-recode", "recoded", ("redo",), once=True, prepared=(("undo",),)),
    Operation("gc-recoded", "recoded", ("gc", "--yes")),
    Operation("rename", "filled", ("rename", "a", "b")),
    Operation("gc", "garbage", ("gc", "--yes")),
    Operation("gc-recode", "filled", ("gc", "--recode", "--yes"), probe=("gc", "--recode"),
              prepared=(("remove", "base", "--now", "--yes"),)),
    Operation("verify", "filled", ("verify",)),
    Operation("verify-catalog", "filled", ("verify", "--rebuild-catalog")),
    Operation("restore-file", "filled", ("restore", "a:v1", "-o", "{w}/out.safetensors"),
              watched=("out.safetensors",)),
    Operation("restore-over", "filled", ("restore", "a:v1", "-o", "{w}/out.safetensors", "--force"),
              watched=("out.safetensors",),
              prepared=(("restore", "a:v2", "-o", "{w}/out.safetensors"),)),
    Operation("restore-folder", "filled", ("restore", "folder", "-o", "{w}/out"), watched=("out",)),
    Operation("restore-over-folder", "filled", ("restore", "folder", "-o", "{w}/out", "--force"),
              watched=("out",), prepared=(("restore", "older", "-o", "{w}/out"),)),
    Operation("config-user", "filled", ("config", "set", "effort", "best"), watched=SETTINGS,
              prepared=(("config", "set", "trash.days", "9"),)),
    Operation("config-store", "filled", ("config", "set", "effort", "best", "--in-store"), watched=SETTINGS),
    Operation("remote-add", "filled", ("remote", "add", "lab", "file:///nowhere"), watched=SETTINGS),
    Operation("profile-save", "filled", ("profile", "save", "mine", "--effort", "best"), watched=SETTINGS),
    Operation("tune", "filled", ("tune", "{m}/rotated.safetensors", "--base", "base", "--target", "error=0.3",
                                 "--save", "mine", "--trials", "3"), watched=SETTINGS, slow=True),
    # A clone of that remote would have to fetch the base, too.
    Operation("pull-fetch-bases", "elsewhere", ("pull", "lab", "--fetch-bases", "--yes"), store="other"),
    Operation("lfs-agent", "git", ("lfs-agent",), source=EXTRA, said="lines"),
]
FILE = [
    Operation("push", "remote", ("push", "lab"), "file"),
    Operation("push-new", "remote", ("push", "a:v2", "file://{w}/fresh"), "file", again=True),
    Operation("push-tag", "remote", ("push", "a:v1", "lab"), "file",
              prepared=(("tag", "a:v1", "late"),)),
    Operation("push-renumber", "taken", ("push", "a", "lab", "--renumber"), "file", again=True),
    Operation("undo-renumber", "taken", ("undo",), "file", once=True,
              prepared=(("push", "a", "lab", "--renumber"),)),
    Operation("pull", "remote", ("pull", "lab"), "file"),
    Operation("pull-there", "remote", ("pull", "lab"), "file", store="other"),
    Operation("pull-lazy", "remote", ("pull", "lab", "--lazy"), "file", store="other",
              finish=("other", "pull", "lab")),
    Operation("pull-lazy-hundred", "hundred", ("pull", "lab", "--lazy"), "file", store="other",
              finish=("other", "pull", "lab")),
    Operation("pull-hundred", "hundred", ("pull", "lab"), "file", store="other"),
    Operation("push-note", "notes", ("push", "lab"), "file"),
    Operation("pull-note", "notes", ("pull", "lab"), "file"),
    Operation("fetch", "remote", ("fetch", "lab"), "file"),
    Operation("clone", "remote", ("clone", "file://{w}/remote", "{w}/third"), "file", once=True,
              finish=("third", "pull", "file://{w}/remote")),
    Operation("bundle-create", "remote", ("bundle", "create", "{w}/all.tar"), "file", once=True,
              watched=("all.tar",)),
    Operation("bundle-import", "remote", ("bundle", "import", "{w}/all.tar"), "file", store="other",
              prepared=(("push", "lab"), ("bundle", "create", "{w}/all.tar"))),
    Operation("repair", "remote", ("verify", "--repair", "--from", "lab"), "file"),
    Operation("remote-verify", "remote", ("remote", "verify", "lab"), "file", probe=("remote", "verify")),
    Operation("push-repair", "remote", ("push", "--repair", "lab"), "file", probe=("push", "--repair")),
    Operation("remote-remove", "remote", ("remove", "lab/a:v1", "--yes"), "file", once=True,
              probe=("remove", "REMOTE/")),
    # Lists in pages.
    Operation("push-pages", "pages", ("push", "lab"), "file"),
    Operation("push-pages-short", "pages", ("remove", "lab/a:v1", "--yes"), "file", once=True),
    Operation("pull-pages", "pages", ("pull", "lab"), "file"),
    Operation("pull-pages-there", "pages", ("pull", "lab"), "file", store="other"),
    Operation("fetch-pages", "pages", ("fetch", "lab"), "file", store="other"),
    Operation("remote-gc-pages", "pages", ("remote", "gc", "lab", "--older-than", "0d", "--yes"), "file",
              prepared=(("remove", "lab/a:v1", "--yes"),)),
    Operation("push-repair-pages", "pages", ("push", "--repair", "lab"), "file", again=True,
              loses_page=True),
    Operation("remote-verify-pages", "pages", ("remote", "verify", "lab"), "file"),
    Operation("remote-tag-remove", "pages", ("tag", "remove", "lab/a:mark-07", "--yes"), "file", once=True),
]


def tried(world, places, chosen):
    """Names of the operations of `places` that the program has, only those in `chosen` if given."""
    return [one.name for place in places for one in place
            if not one.slow and (not chosen or one.name in chosen) and one.is_known(world)]


def taking_turns(world, index, chosen):
    """The operation of that trial and how often it was tried before: local ones and others by turns."""
    places = [tried(world, (place,), chosen) for place in (LOCAL, FILE)]
    names = places[index % 2] or places[1 - index % 2]
    return names[index // 2 % len(names)], index // 2 // len(names)


ALL = {one.name: one for one in LOCAL + FILE}
