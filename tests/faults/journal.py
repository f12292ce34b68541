"""Rebuilds a folder as a power cut may leave it, from the shim's journal of changes (shim.c).

The rule is POSIX's: bytes are on the disk when fsync() of their file returned, a name when fsync() of its
folder returned. What was not synced may be there or not, and a policy chooses.
"""
import os
import random
import struct

RECORD = struct.Struct("<IIIIQQQ")
RENAME_EXCHANGE = 2
SECTOR = 512

# What of the bytes and names that were not synced is on the disk after the cut.
POLICIES = {
    "nothing": ("none", "none"),
    "all names, files end at synced bytes": ("none", "all"),
    "all names, zeros for bytes": ("zeros", "all"),
    "all names, half of the bytes": ("half", "all"),
    "all bytes, no names": ("all", "none"),
    "only renames": ("none", "renames"),
    "only new names": ("all", "creations"),
    "only removals": ("none", "removals"),
    "some names in order": ("all", "prefix"),
    "some sectors, some names": ("some", "some"),
}
NAMES = list(POLICIES)


class File:
    """A file's bytes now and at its last sync; the writes since."""

    def __init__(self, synced=b""):
        self.now = bytearray(synced)
        self.synced = bytes(synced)
        self.writes = []  # (offset, bytes), or (size, None) for a truncation

    def write(self, offset, data):
        if len(self.now) < offset:
            self.now.extend(bytes(offset - len(self.now)))
        self.now[offset:offset + len(data)] = data
        self.writes.append((offset, bytes(data)))

    def resize(self, size):
        del self.now[size:]
        self.now.extend(bytes(size - len(self.now)))
        self.writes.append((size, None))

    def sync(self):
        self.synced = bytes(self.now)
        self.writes = []

    def after_cut(self, policy, chance):
        if policy == "all" or not self.writes:
            return bytes(self.now)
        if policy == "none":
            return self.synced
        if policy == "zeros":
            kept = bytearray(self.synced[:len(self.now)])
            return bytes(kept) + bytes(len(self.now) - len(kept))
        left = File(self.synced)
        writes = self.writes[:len(self.writes) // 2 + 1] if policy == "half" else self.writes
        for offset, data in writes:
            if data is None:
                if policy == "half" or chance.random() < 0.5:
                    left.resize(offset)
            elif policy == "half":
                left.write(offset, data[:len(data) // 2])
            else:
                for at in range(0, len(data), SECTOR):
                    if chance.random() < 0.5:
                        left.write(offset + at, data[at:at + SECTOR])
        return bytes(left.now)


class Folder:
    """Names now and on the disk."""

    def __init__(self):
        self.now, self.synced = {}, {}


class Change:
    """One change of names: edits (folder, name, what it names then or None), done together."""

    def __init__(self, what, edits):
        self.what, self.edits = what, edits

    def touches(self, folder):
        return any(edited is folder for edited, _, _ in self.edits)


class Disk:
    """Files and names below a folder, as they are now and as they were synced."""

    def __init__(self, top):
        self.top = str(top)
        self.root = self.scan(self.top)
        self.pending = []  # changes since they were synced, in order
        self.inodes = {}

    def scan(self, place):
        folder = Folder()
        with os.scandir(place) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folder.now[entry.name] = self.scan(entry.path)
                else:
                    with open(entry.path, "rb") as file:
                        folder.now[entry.name] = File(file.read())
        folder.synced = dict(folder.now)
        return folder

    def node(self, path):
        """The file or folder there now, or None."""
        if not path.startswith(self.top):
            return None
        found = self.root
        for name in path[len(self.top):].split("/"):
            if name and name != ".":
                found = found.now.get(name) if isinstance(found, Folder) else None
        return found

    def change(self, what, *edits):
        """`edits` are (path, node or None). Paths outside are none of ours."""
        own = [(self.node(os.path.dirname(path)), os.path.basename(path), node) for path, node in edits]
        own = [edit for edit in own if isinstance(edit[0], Folder)]
        self.pending.append(Change(what, own))
        for folder, name, node in own:
            edit_names(folder.now, name, node)

    def sync_folder(self, folder):
        """Changes of names in that folder are on the disk; a rename between two folders as a whole."""
        for change in self.pending:
            if change.touches(folder):
                settle(change)
        self.pending = [change for change in self.pending if not change.touches(folder)]

    def sync_all(self, chosen=lambda path: True):
        """All that lies where `chosen` says, as if it had been written out long ago."""
        for path, node in list(walk(self.root, self.top)):
            if isinstance(node, File) and chosen(path):
                node.sync()
            elif isinstance(node, Folder) and chosen(path + "/"):
                self.sync_folder(node)

    def write_after_cut(self, target, policy, seed):
        """Writes what is left into the folder `target`."""
        bytes_policy, names_policy = POLICIES[policy]
        chance = random.Random(f"{policy} {seed}")
        names = {}
        for change in choose(self.pending, names_policy, chance):
            for folder, name, node in change.edits:
                edit_names(names.setdefault(folder, dict(folder.synced)), name, node)

        def write(folder, place):
            entries = names.get(folder, folder.synced)
            for name in sorted(entries):
                there, node = f"{place}/{name}", entries[name]
                if isinstance(node, Folder):
                    os.mkdir(there)
                    write(node, there)
                else:
                    with open(there, "wb") as file:
                        file.write(node.after_cut(bytes_policy, chance))

        write(self.root, target)


def edit_names(names, name, node):
    if node is None:
        names.pop(name, None)
    else:
        names[name] = node


def settle(change):
    for folder, name, node in change.edits:
        edit_names(folder.synced, name, node)


def walk(folder, place):
    yield place, folder
    for name, node in folder.now.items():
        if isinstance(node, Folder):
            yield from walk(node, f"{place}/{name}")
        else:
            yield f"{place}/{name}", node


def choose(pending, policy, chance):
    """Which of the changes that were not synced are on the disk."""
    if policy == "prefix":
        return pending[:chance.randrange(len(pending) + 1)]
    kinds = {"all": ("new", "removal", "rename"), "none": (), "renames": ("rename",),
             "creations": ("new",), "removals": ("removal",), "some": ("new", "removal", "rename")}[policy]
    return [change for change in pending
            if change.what in kinds and (policy != "some" or chance.random() < 0.5)]


def read(path):
    """The journal's records: (kind, first path, second path, flags, inode, offset, bytes)."""
    with open(path, "rb") as file:
        data = file.read()
    at = 0
    while at + RECORD.size <= len(data):
        kind, first, second, flags, inode, offset, count = RECORD.unpack_from(data, at)
        at += RECORD.size
        texts = data[at:at + first].decode(), data[at + first:at + first + second].decode()
        at += first + second
        yield chr(kind), *texts, flags, inode, offset, data[at:at + count]
        at += count


def replay(disk, records):
    """Does to `disk` what the records say."""
    for kind, first, second, flags, inode, offset, data in records:
        if kind == "o":
            opened(disk, first, flags, inode)
        elif kind in "wtg":
            file = disk.inodes.get(inode)
            if file is None:
                continue
            if kind == "w":
                file.write(offset, data)
            elif kind == "t" or offset > len(file.now):
                file.resize(offset)
        elif kind == "s":
            synced = disk.inodes.get(inode) or disk.node(first)
            if isinstance(synced, Folder):
                disk.sync_folder(synced)
            elif synced is not None:
                synced.sync()
        elif kind == "S":
            disk.sync_all()
        elif kind == "r" and flags & RENAME_EXCHANGE:
            disk.change("rename", (first, disk.node(second)), (second, disk.node(first)))
        elif kind == "r":
            disk.change("rename", (second, disk.node(first)), (first, None))
        elif kind == "l":
            disk.change("new", (second, disk.node(first)))
        elif kind == "m":
            disk.change("new", (first, Folder()))
        elif kind in "ud":
            disk.change("removal", (first, None))


def opened(disk, path, flags, inode):
    """Binds the file's number to what is known of it."""
    node = disk.node(path)
    if node is None and flags & os.O_CREAT:
        node = File()
        disk.change("new", (path, node))
    elif isinstance(node, File) and flags & os.O_TRUNC:
        node.resize(0)
    disk.inodes[inode] = node


def is_change(record):
    """Whether a cut before and after the record may differ."""
    return record[0] != "o" or record[3] & (os.O_CREAT | os.O_TRUNC)
