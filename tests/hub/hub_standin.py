"""A Hugging Face Hub of the tests' own, on the loopback.

    hub_standin.py [--port N] [--log FILE]     prints its URL

Speaks what huggingface_hub 2.4 calls (checked with the real client in test_hub.py): repositories,
revisions, trees with pages of two, resolve with redirects to storage under another host name, preupload,
the LFS batch with plain and multipart uploads, commits with a parent. Shares no line with hub/.

Storage is `localhost`, the API 127.0.0.1: a token that reaches storage is a leak, which is answered 400
and noted. Uploads are hashed again. Faults are set by POST /control (JSON):

    {"fault": NAME, "times": N, ...}   NAME is one of FAULTS below
"""
import argparse
import base64
import hashlib
import http.server
import json
import re
import socketserver
import threading
import time
import urllib.parse

TOKEN = "hf_standin"
PAGE = 2
PART = 5 << 20
FAULTS = {
    "put_500": "an upload answers 500", "put_403": "a signed URL has expired",
    "commit_503": "a commit answers 503 and is not made", "commit_503_made": "… and is made",
    "commit_409": "another commit is in progress", "commit_412": "somebody else commits first",
    "get_cut": "a download breaks off after `bytes`", "get_wrong": "a download has a wrong byte",
    "get_429": "asks to wait", "api_500": "the API answers 500", "verify_fails": "verify answers 422",
    "html": "the API answers a page", "index_huge": "the index is 300 MB of blanks",
    "tree_bad_path": "the tree names ../x", "tree_elsewhere": "the tree goes on at another host", "range_ignored": "a range is answered 200",
    "preupload_more": "announced files are answered with all that storage holds, as regular ones",
    "redirect_loop": "resolve leads to itself", "redirect_file": "resolve leads to file:///etc/passwd",
}


def git_oid(content):
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def card_tags(card, files):
    """What the hub makes of a model card's metadata and the names of files."""
    lines = card.split("---")[1].splitlines() if card.startswith("---") else []
    tags, key = [], ""
    for line in lines:
        if line.startswith("- ") and key in ("tags", "base_model"):
            tags.append(line[2:] if key == "tags" else "base_model:" + line[2:])
        elif ":" in line:
            key, _, value = line.partition(":")
            if key in ("license", "base_model") and value.strip():
                tags.append(f"{key}:{value.strip()}")
    endings = {path.rsplit(".", 1)[-1] for path in files}
    return tags + [kind for kind in ("onnx", "safetensors") if kind in endings]


class Repository:
    """Commits are whole maps from path to (kind, content or SHA-256, size)."""

    def __init__(self, private):
        self.private = private
        self.gated = False
        self.downloads = 0
        self.files = {}
        self.commits = []
        self.by_commit = {}
        self.add_commit("initial commit")

    def add_commit(self, title):
        oid = hashlib.sha1(f"{time.time_ns()}{title}".encode()).hexdigest()
        self.commits.insert(0, {"id": oid, "title": title})
        self.by_commit[oid] = dict(self.files)
        return oid

    @property
    def head(self):
        return self.commits[0]["id"]

    def at(self, revision):
        if revision == "main":
            return self.head
        return revision if revision in self.by_commit else None


class Hub:
    def __init__(self, log=None):
        self.lock = threading.RLock()
        self.repositories = {}
        self.storage = {}
        self.uploads = {}  # in parts: their names to the parts that came
        self.begun_count = 0
        self.faults = {}
        self.requests = []
        self.leaks = []
        self.multipart_from = 20 << 20
        self.part_bytes = PART
        self.regular_below = 0
        self.lfs_from = 10 << 20
        self.batch_lie = lambda answer: None  # changes what the LFS batch says of an object
        self.log = log

    def fault(self, name):
        with self.lock:
            fault = self.faults.get(name)
            if not fault or fault["times"] == 0:
                return None
            fault["times"] -= 1
            return fault


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *args):
        pass

    @property
    def hub(self):
        return self.server.hub

    def base(self):
        return f"{self.server.scheme}://{self.server.name}:{self.server.server_port}"

    def storage_url(self, path):
        return f"{self.server.scheme}://{self.server.storage_name}:{self.server.server_port}/storage/{path}"

    def answer(self, status, body=b"", headers=None, length=None):
        if isinstance(body, (dict, list)):
            body = json.dumps(body).encode()
            headers = {"Content-Type": "application/json", **(headers or {})}
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("RateLimit", '"api";r=400;t=100')
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def missing(self, code, what="not found", headers=None):
        self.answer(404, {"error": what}, {"X-Error-Code": code, "X-Error-Message": what, **(headers or {})})

    def handle_one(self):
        length = int(self.headers.get("Content-Length") or 0)
        self.body = self.rfile.read(length)
        if len(self.body) < length:
            self.close_connection = True
            return
        url = urllib.parse.urlsplit(self.path)
        path = url.path
        self.query = urllib.parse.parse_qs(url.query)
        line = {"method": self.command, "path": self.path, "bytes": len(self.body),
                "range": self.headers.get("Range"), "token": bool(self.headers.get("Authorization"))}
        self.hub.requests.append(line)
        if self.hub.log:
            self.hub.log.write(json.dumps(line) + "\n")
            self.hub.log.flush()
        if path.startswith("/control"):
            return self.control(path)
        if path.startswith("/storage/"):
            return self.storage(path[len("/storage/"):])
        if self.hub.fault("api_500"):
            return self.answer(500, {"error": "internal"})
        if self.hub.fault("html"):
            return self.answer(200, b"<html><body>login please</body></html>")
        for method, pattern, handler in ROUTES:
            found = re.fullmatch(pattern, path)
            if method == self.command and found:
                return getattr(self, handler)(*[urllib.parse.unquote(word) for word in found.groups()])
        self.answer(404, b"Not Found", {"Content-Type": "text/plain"})

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = handle_one

    # What the tests ask and set.
    def control(self, path):
        if path == "/control/requests":
            self.hub.requests.pop()
            return self.answer(200, self.hub.requests)
        if path == "/control/leaks":
            return self.answer(200, self.hub.leaks)
        if path == "/control/clear":
            self.hub.requests.clear()
            return self.answer(200, {})
        order = json.loads(self.body)
        if "fault" in order:
            assert order["fault"] in FAULTS, order
            self.hub.faults[order["fault"]] = {"times": 1, **order}
        for key in ("multipart_from", "part_bytes", "regular_below"):
            if key in order:
                setattr(self.hub, key, order[key])
        self.answer(200, {})

    def authorized(self):
        return self.headers.get("Authorization") == f"Bearer {TOKEN}"

    def repository(self, name, writes=False):
        """The repository, or None after an answer."""
        given = self.headers.get("Authorization")
        if given and not self.authorized():
            self.answer(401, {"error": "Invalid credentials in Authorization header"},
                        {"X-Error-Message": "Invalid credentials in Authorization header"})
            return None
        found = self.hub.repositories.get(name)
        if found is None or (found.private and not self.authorized()):
            if self.authorized():
                self.missing("RepoNotFound", "Repository not found")
            else:
                self.answer(401, {"error": "Repository not found"}, {"X-Error-Code": "RepoNotFound"})
            return None
        if writes and not self.authorized():
            self.answer(403, {"error": "you do not have write access"})
            return None
        return found

    def whoami(self):
        if not self.authorized():
            return self.answer(401, {"error": "Invalid username or password."})
        self.answer(200, {"type": "user", "name": "tester", "fullname": "T", "orgs": [],
                          "auth": {"type": "access_token",
                                   "accessToken": {"displayName": "t", "role": "write"}}})

    def create(self):
        if not self.authorized():
            return self.answer(401, {"error": "Unauthorized"})
        wish = json.loads(self.body)
        name = f"{wish.get('organization') or 'tester'}/{wish['name']}"
        with self.hub.lock:
            if name in self.hub.repositories:
                return self.answer(409, {"error": "You already created this model repo",
                                         "url": f"{self.base()}/{name}"})
            self.hub.repositories[name] = Repository(wish.get("visibility") == "private")
        self.answer(200, {"url": f"{self.base()}/{name}", "name": name, "id": name})

    def info(self, name, revision="main"):
        found = self.repository(name)
        if not found:
            return
        oid = found.at(revision)
        if not oid:
            return self.missing("RevisionNotFound", f"Invalid rev id: {revision}")
        self.answer(200, {"id": name, "modelId": name, "sha": oid, "private": found.private,
                          "siblings": [{"rfilename": path} for path in sorted(found.by_commit[oid])]})

    def models(self):
        """GET /api/models, as the hub answers list_models of its client: a page, more by Link."""
        wish = lambda key: self.query.get(key, [""])[0]
        found = []
        for name, repository in sorted(self.hub.repositories.items()):
            if repository.private and not self.authorized():
                continue
            card = repository.files.get("README.md", ("", b"", 0))[1].decode()
            tags = card_tags(card, repository.files)
            if wish("author") and name.split("/")[0] != wish("author"):
                continue
            if not all(word in name.lower() for word in wish("search").lower().split()):
                continue
            if not all(tag in tags for tag in self.query.get("filter", [])):
                continue
            found.append({
                "_id": hashlib.sha1(name.encode()).hexdigest()[:24], "id": name, "modelId": name,
                "likes": len(name), "downloads": repository.downloads, "private": repository.private,
                "gated": repository.gated, "tags": tags, "createdAt": "2026-11-01T08:00:00.000Z",
                "lastModified": "2026-11-02T08:00:00.000Z", "sha": repository.head,
                "usedStorage": sum(size for _, _, size in repository.files.values())})
        if wish("sort") == "downloads":
            found.sort(key=lambda entry: -entry["downloads"])
        expanded = self.query.get("expand", [])
        if expanded:
            found = [{key: entry[key] for key in ("_id", "id", "modelId", *expanded)} for entry in found]
        first = int(wish("cursor") or 0)
        size = min(int(wish("limit") or 1000), PAGE)
        headers = {}
        if first + size < len(found):
            query = re.sub(r"&?cursor=[0-9]+", "", self.path.partition("?")[2])
            headers["Link"] = f'<{self.base()}/api/models?{query}&cursor={first + size}>; rel="next"'
        self.answer(200, found[first:first + size], headers)

    def entries(self, name, revision):
        """What the tree holds; None after an answer."""
        found = self.repository(name)
        if not found:
            return None
        oid = found.at(revision)
        if not oid:
            self.missing("RevisionNotFound")
            return None
        entries = []
        for path, (kind, content, size) in sorted(found.by_commit[oid].items()):
            entry = {"type": "file", "path": path, "size": size}
            if kind == "lfs":
                pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{content}\nsize {size}\n"
                entry["oid"] = git_oid(pointer.encode())
                entry["lfs"] = {"oid": content, "size": size, "pointerSize": len(pointer)}
            else:
                entry["oid"] = git_oid(content)
            entries.append(entry)
        return entries

    def paths_info(self, name, revision):
        """Asked for as a form (Python) or as JSON (JavaScript)."""
        entries = self.entries(name, revision)
        if entries is None:
            return
        if self.headers["Content-Type"].startswith("application/json"):
            paths = json.loads(self.body)["paths"]
        else:
            paths = urllib.parse.parse_qs(self.body.decode())["paths"]
        self.answer(200, [entry for entry in entries if entry["path"] in paths])

    def tree(self, name, revision):
        entries = self.entries(name, revision)
        if entries is None:
            return
        if self.hub.fault("tree_bad_path"):
            entries.append({"type": "file", "path": "../x", "size": 1, "oid": "0" * 40})
        first = int(self.query.get("cursor", ["0"])[0])
        headers = {}
        if first + PAGE < len(entries):
            target = f"{self.base()}{self.path.split('?')[0]}?recursive=true&expand=false&cursor={first + PAGE}"
            if self.hub.fault("tree_elsewhere"):
                target = self.storage_url("tree")
            headers["Link"] = f'<{target}>; rel="next"'
        self.answer(200, entries[first:first + PAGE], headers)

    def refs(self, name):
        found = self.repository(name)
        if found:
            self.answer(200, {"branches": [{"name": "main", "ref": "refs/heads/main",
                                            "targetCommit": found.head}], "converts": [], "tags": []})

    def preupload(self, name, revision):
        found = self.repository(name, writes=True)
        if not found:
            return
        answers = []
        for file in json.loads(self.body)["files"]:
            binary = b"\0" in base64.b64decode(file["sample"])
            in_lfs = file["size"] > 0 and file["size"] >= self.hub.regular_below and (
                file["path"].startswith("objects/") or binary or file["size"] > self.hub.lfs_from)
            answers.append({"path": file["path"], "uploadMode": "lfs" if in_lfs else "regular",
                            "shouldIgnore": False})
        if self.hub.fault("preupload_more"):
            answers += [{"path": f"objects/{oid[:2]}/{oid}", "uploadMode": "regular"}
                        for oid in self.hub.storage]
        self.answer(200, {"files": answers})

    def batch(self, name):
        if not self.repository(name, writes=True):
            return
        wish = json.loads(self.body)
        assert self.headers["Content-Type"].startswith("application/vnd.git-lfs+json")
        objects = []
        for item in wish["objects"]:
            oid, size = item["oid"], item["size"]
            answer = {"oid": oid, "size": size}
            if oid not in self.hub.storage:
                upload = {"href": self.storage_url(f"{oid}?signature=secret")}
                if size >= self.hub.multipart_from:
                    count = -(-size // self.hub.part_bytes)
                    with self.hub.lock:
                        self.hub.begun_count += 1  # another upload each time
                        begun = f"{oid}.{self.hub.begun_count}"
                        self.hub.uploads[begun] = {}
                    upload = {"href": self.storage_url(f"complete/{begun}"),
                              "header": {"chunk_size": str(self.hub.part_bytes),
                                         **{str(i + 1): self.storage_url(f"part/{begun}/{i + 1}?sig=secret")
                                            for i in range(count)}}}
                answer["actions"] = {"upload": upload,
                                     "verify": {"href": f"{self.base()}/{name}.git/info/lfs/verify"}}
            self.hub.batch_lie(answer)
            objects.append(answer)
        self.answer(200, {"transfer": "basic", "objects": objects},
                    {"Content-Type": "application/vnd.git-lfs+json"})

    def verify(self, name):
        if self.hub.fault("verify_fails"):
            return self.answer(422, {"message": "size does not match"})
        wish = json.loads(self.body)
        content = self.hub.storage.get(wish["oid"])
        self.answer(200 if content is not None and len(content) == wish["size"] else 404, {})

    def commit(self, name, revision):
        found = self.repository(name, writes=True)
        if not found:
            return
        if self.hub.fault("commit_503"):
            return self.answer(503, {"error": "try later"})
        if self.hub.fault("commit_409"):
            return self.answer(409, {"error": "Another commit operation is in progress"})
        with self.hub.lock:
            if self.hub.fault("commit_412"):
                found.files["other.txt"] = ("regular", b"somebody else", 13)
                found.add_commit("somebody else")
            files = dict(found.files)
            summary = ""
            for text in self.body.decode().splitlines():
                line = json.loads(text)
                value = line["value"]
                if line["key"] == "header":
                    summary = value["summary"]
                    if value.get("parentCommit", found.head) != found.head:
                        return self.answer(412, {"error": "A commit has happened since. Please refresh and "
                                                          "try again."})
                elif line["key"] == "file":
                    content = base64.b64decode(value["content"])
                    files[value["path"]] = ("regular", content, len(content))
                elif line["key"] == "lfsFile":
                    stored = self.hub.storage.get(value["oid"])
                    if stored is None or len(stored) != value["size"]:
                        return self.answer(400, {"error": f"LFS object {value['oid']} does not exist"})
                    files[value["path"]] = ("lfs", value["oid"], value["size"])
                elif line["key"] == "deletedFile":
                    files.pop(value["path"], None)
            found.files = files
            oid = found.add_commit(summary)
        if self.hub.fault("commit_503_made"):
            return self.answer(503, {"error": "try later"})
        self.answer(200, {"success": True, "commitOid": oid, "commitUrl": f"{self.base()}/{name}/commit/{oid}",
                          "hookOutput": ""})

    def resolve(self, name, revision, path):
        found = self.repository(name)
        if not found:
            return
        oid = found.at(revision)
        if not oid:
            return self.missing("RevisionNotFound")
        headers = {"X-Repo-Commit": oid}
        if path not in found.by_commit[oid]:
            return self.missing("EntryNotFound", "Entry not found", headers)
        kind, content, size = found.by_commit[oid][path]
        if found.gated:  # and this user has not accepted its terms
            return self.answer(403, {"error": "Access to this model is restricted"},
                               {"X-Error-Code": "GatedRepo", **headers})
        if path == "strata/index.json" and self.hub.fault("index_huge"):
            self.answer(200, b"", headers, length=300 << 20)
            try:
                for _ in range(300):
                    self.wfile.write(b" " * (1 << 20))
            except OSError:
                self.close_connection = True
            return
        if kind == "regular":
            return self.send_range(content, {**headers, "ETag": f'"{git_oid(content)}"'})
        headers |= {"X-Linked-Etag": f'"{content}"', "X-Linked-Size": str(size), "ETag": '"x"'}
        if self.hub.fault("redirect_loop"):
            return self.answer(302, b"", {**headers, "Location": self.path})
        if self.hub.fault("redirect_file"):
            return self.answer(302, b"", {**headers, "Location": "file:///etc/passwd"})
        self.answer(302, b"", {**headers, "Location": self.storage_url(f"{content}?X-Amz-Signature=secret")})

    def send_range(self, content, headers):
        wish = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range") or "")
        first, last = 0, len(content) - 1
        status = 200
        if wish and not self.hub.fault("range_ignored"):
            first = int(wish[1])
            last = min(last, int(wish[2] or last))
            if first >= len(content):
                return self.answer(416, b"", {**headers, "Content-Range": f"bytes */{len(content)}"})
            status = 206
            headers = {**headers, "Content-Range": f"bytes {first}-{last}/{len(content)}"}
        body = content[first:last + 1]
        cut = self.hub.fault("get_cut") if self.command == "GET" and self.server.storage_name in self.headers["Host"] else None
        if cut:
            self.answer(status, body[:cut["bytes"]], headers, length=len(body))
            self.close_connection = True
            return
        self.answer(status, body, headers)

    # Storage: signed URLs, no token.
    def storage(self, path):
        if self.headers.get("Authorization"):
            self.hub.leaks.append(self.path)
            return self.answer(400, b"a token does not belong here")
        if self.command == "PUT":
            return self.store(path)
        if self.command == "POST":
            return self.complete(path.split("/")[1])
        if self.hub.fault("get_429"):
            return self.answer(429, b"slow down", {"Retry-After": "0"})
        content = self.hub.storage.get(path)
        if content is None:
            return self.answer(404, b"no such object")
        if self.hub.fault("get_wrong"):
            content = bytes([content[0] ^ 1]) + content[1:]
        self.send_range(content, {"ETag": f'"{path}"', "Accept-Ranges": "bytes"})

    def store(self, path):
        if self.hub.fault("put_500"):
            return self.answer(500, b"try again")
        if self.hub.fault("put_403"):
            return self.answer(403, b"<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>")
        if path.startswith("part/"):
            _, begun, number = path.split("/")
            if begun not in self.hub.uploads:
                return self.answer(404, b"<Error><Code>NoSuchUpload</Code></Error>")
            self.hub.uploads[begun][int(number)] = self.body
            return self.answer(200, b"", {"ETag": f'"{hashlib.md5(self.body).hexdigest()}"'})
        if hashlib.sha256(self.body).hexdigest() != path:
            return self.answer(400, b"<Error><Code>BadDigest</Code></Error>")
        self.hub.storage[path] = self.body
        self.answer(200)

    def complete(self, begun):
        wish = json.loads(self.body)
        parts = self.hub.uploads.pop(begun, None)
        if parts is None:
            return self.answer(404, b"<Error><Code>NoSuchUpload</Code></Error>")
        content = b""
        for part in wish["parts"]:
            piece = parts[part["partNumber"]]
            if part["etag"] != f'"{hashlib.md5(piece).hexdigest()}"':
                return self.answer(400, {"error": "wrong ETag"})
            content += piece
        oid = begun.split(".")[0]
        if wish["oid"] != oid or hashlib.sha256(content).hexdigest() != oid:
            return self.answer(200, {"error": "BadDigest"})
        self.hub.storage[oid] = content
        self.answer(200, {})


NAME = r"/([^/]+/[^/]+?)"
API = "/api/models" + NAME
ROUTES = [
    ("GET", r"/api/whoami-v2", "whoami"),
    ("POST", r"/api/repos/create", "create"),
    ("GET", r"/api/models", "models"),
    ("GET", API, "info"),
    ("GET", API + r"/revision/([^/]+)", "info"),
    ("GET", API + r"/tree/([^/]+)", "tree"),
    ("GET", API + r"/refs", "refs"),
    ("POST", API + r"/paths-info/([^/]+)", "paths_info"),
    ("POST", API + r"/preupload/([^/]+)", "preupload"),
    ("POST", API + r"/commit/([^/]+)", "commit"),
    ("POST", NAME + r"\.git/info/lfs/objects/batch", "batch"),
    ("POST", NAME + r"\.git/info/lfs/verify", "verify"),
    ("GET", NAME + r"/resolve/([^/]+)/(.+)", "resolve"),
    ("HEAD", NAME + r"/resolve/([^/]+)/(.+)", "resolve"),
]


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 64
    scheme = "http"
    name, storage_name = "127.0.0.1", "localhost"

    def handle_error(self, request, client_address):
        pass  # a client that hung up


def start(port=0, log=None, tls=None):
    """Starts a hub on a thread, behind TLS with an ssl.SSLContext; (server, URL)."""
    server = Server(("127.0.0.1", port), Handler)
    server.hub = Hub(log)
    if tls:
        server.scheme = "https"
        server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, f"{server.scheme}://127.0.0.1:{server.server_port}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--log", type=argparse.FileType("w"))
    options = parser.parse_args()
    _, url = start(options.port, options.log)
    print(url, flush=True)
    threading.Event().wait()
