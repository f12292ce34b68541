"""A store: objects and refs (§2)."""

import hashlib
import json
import os
import re

from manifest import read_manifest
from outcome import FormatError, corrupt, require
from version import Version
from xxh3 import xxh3

NAME = r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}"


class Store:
    def __init__(self, folder):
        self.folder = folder
        with open(os.path.join(folder, "store.toml"), encoding="utf-8") as file:
            found = re.search(r"^\s*format\s*=\s*(\d+)", file.read(), re.MULTILINE)
        require(found, "store.toml does not say the store's format")
        if int(found[1]) > 1:
            raise FormatError("FormatTooNew", f"store has format {found[1]}, this reads 1")

    def object(self, digest):
        path = os.path.join(self.folder, "objects", digest[:2], digest[2:])
        try:
            with open(path, "rb") as file:
                data = file.read()
        except FileNotFoundError as error:
            raise FormatError("NotFound", f"object {digest}") from error
        require(hashlib.sha256(data).hexdigest() == digest, f"object {digest} is damaged")
        return data

    def versions(self, place):
        """All refs of versions in `refs` or `trash`, by name and number."""
        root, refs = os.path.join(self.folder, place), []
        for name in sorted(os.listdir(root)) if os.path.isdir(root) else []:
            if not re.fullmatch(NAME, name):
                continue
            for entry in os.listdir(os.path.join(root, name)):
                number = re.fullmatch(r"v([1-9]\d*)\.json", entry)
                if number:
                    ref = self.ref(os.path.join(root, name, entry), "version")
                    require((ref["name"], ref["number"]) == (name, int(number[1])), f"ref {entry}")
                    refs.append(ref)
        return sorted(refs, key=lambda ref: (ref["name"], ref["number"]))

    @staticmethod
    def ref(path, kind):
        """§2.3."""
        with open(path, "rb") as file:
            text = file.read()
        sealed = re.fullmatch(rb'\{"checksum":"([0-9a-f]{16})","ref":(.*)\}\n', text, re.DOTALL)
        require(sealed and f"{xxh3(sealed[2]):016x}".encode() == sealed[1], f"{path}: checksum")
        try:
            ref = json.loads(sealed[2])
        except ValueError as error:
            raise corrupt(f"{path}: is no ref file") from error
        needed = {"kind", "schema", "name", "number"}
        needed |= {"content", "manifest"} if kind == "version" else {"tag"}
        require(isinstance(ref, dict) and needed <= ref.keys(), f"{path}: a field is missing")
        if ref["schema"] > 1:
            raise FormatError("FormatTooNew", f"{path} has schema {ref['schema']}")
        require(ref["kind"] == kind, f"{path}: is not of a {kind}")
        return ref

    def resolve(self, text):
        """The ref that a reference means."""
        refs = self.versions("refs")
        if re.fullmatch(r"@[0-9a-fA-F]{4,64}|[0-9a-fA-F]{64}", text):
            found = [r for r in refs if r["content"].startswith(text.lstrip("@").lower())]
            if len({r["content"] for r in found}) > 1:
                raise FormatError("InvalidArgument", f"{text} begins several digests")
        else:
            named = re.fullmatch(rf"({NAME})(?:([:~])(.*))?", text)
            if not named:
                raise FormatError("InvalidArgument", f"{text} is no reference")
            name, mark, rest = named.groups()
            refs = [r for r in refs if r["name"] == name]
            back = int(rest or 1) if mark == "~" else 0
            found = refs[len(refs) - 1 - back:][:1] if back < len(refs) else []
            if mark == ":":
                number = int(rest[1:]) if re.fullmatch(r"v\d+", rest) else self.tagged(name, rest)
                found = [r for r in refs if r["number"] == number]
        if not found:
            raise FormatError("NotFound", f"no version {text}")
        return found[0]

    def tagged(self, name, tag):
        path = os.path.join(self.folder, "refs", name, "tags", tag + ".json")
        return self.ref(path, "tag")["number"] if os.path.exists(path) else 0

    def open(self, content, above=()):
        """§2.4, §21: the version with this content and all of its parents."""
        require(content not in above and len(above) <= 64, "lineage does not end")
        refs = [r for r in self.versions("refs") + self.versions("trash")
                if r["content"] == content]
        error = FormatError("NotFound", f"no version with content {content}")
        for digest in dict.fromkeys(ref["manifest"] for ref in refs):
            try:
                manifest = read_manifest(self.object(digest))
                require(manifest.content_digest.hex() == content, f"manifest {digest} is another's")
                parent = None
                if manifest.parent_digest:
                    parent = self.open(manifest.parent_digest.hex(), above + (content,))
                return Version(self, manifest, parent)
            except FormatError as problem:
                error = problem
        raise error
