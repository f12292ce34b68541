"""Push, pull, clone and import against a Hugging Face stand-in, also with the real client.

The stand-in (hub_standin.py) is what huggingface_hub 2.4 itself uploads to and downloads from here, so
it stands for the hub as that client sees it. Where the client is missing its half is skipped.
"""
import filecmp
import hashlib
import json
import os
import pathlib
import random
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

import hub_standin
from peers import needs, part_bytes

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools" / "read_pack"))
from manifest import content_digest, read_manifest
from xxh3 import xxh3
from zstd import unzstd

STRATA, PEERS = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
sys.argv = sys.argv[:1]
HERE = pathlib.Path(__file__).resolve().parent
PYTHON = PEERS / "bin" / "python"
URL = "hf://tester/models"


def stored_frame(data):
    """A zstd frame that holds `data` as it is."""
    blocks = [data[at:at + 100_000] for at in range(0, len(data), 100_000)]
    out = b"\x28\xb5\x2f\xfd\xa0" + struct.pack("<I", len(data))
    for i, block in enumerate(blocks):
        out += (len(block) << 3 | (i + 1 == len(blocks))).to_bytes(3, "little") + block
    return out


def forge_digest(store, name):
    """Lets a sound version of one file say another SHA-256 of it than it restores to."""
    path = store / "refs" / name / "v1.json"
    body = path.read_text().split('"ref":', 1)[1].rstrip("\n")[:-1]
    old = json.loads(body)["manifest"]
    data = (store / "objects" / old[:2] / old[2:]).read_bytes()
    manifest, message = read_manifest(data), unzstd(data[24:], struct.unpack_from("<Q", data, 16)[0])
    file, content = manifest.files[0], manifest.content_digest
    digest, file.sha256 = file.sha256, hashlib.sha256(b"other").digest()
    forged = content_digest(manifest.files)
    message = message.replace(digest, file.sha256).replace(content, forged)
    data = data[:24] + stored_frame(message)
    new = hashlib.sha256(data).hexdigest()
    (store / "objects" / new[:2]).mkdir(exist_ok=True)
    (store / "objects" / new[:2] / new[2:]).write_bytes(data)
    body = body.replace(old, new).replace(content.hex(), forged.hex())
    path.write_text(f'{{"checksum":"{xxh3(body.encode()):016x}","ref":{body}}}\n')


class HubTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.models_folder = tempfile.TemporaryDirectory(prefix="strata-models-")
        cls.models = pathlib.Path(cls.models_folder.name)
        subprocess.run([sys.executable, HERE.parent / "cli" / "make_models.py", cls.models], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.models_folder.cleanup()

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="strata-hub-")
        self.root = pathlib.Path(self.folder.name)
        self.server, self.endpoint = hub_standin.start()
        self.hub = self.server.hub
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith(("STRATA", "HF_", "XDG_"))}
        self.environment.update(HOME=str(self.root / "home"), HF_HOME=str(self.root / "hf"),
                                HF_ENDPOINT=self.endpoint, HF_TOKEN=hub_standin.TOKEN, no_proxy="*",
                                HF_HUB_DISABLE_XET="1", HF_HUB_DISABLE_TELEMETRY="1")
        self.environment.pop("DBUS_SESSION_BUS_ADDRESS", None)

    def tearDown(self):
        self.assertEqual(self.hub.leaks, [], "a token went to storage")
        self.server.shutdown()
        self.server.server_close()
        self.folder.cleanup()

    def run_in(self, store, *words, code=0, environment=None):
        done = subprocess.run([STRATA, "-C", self.root / store, *words], capture_output=True, text=True,
                              env=environment or self.environment, check=False)
        self.assertEqual(done.returncode, code, f"{words}: {done.stdout}{done.stderr}")
        self.assertNotIn(hub_standin.TOKEN, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def make_store(self, store="ours"):
        self.run_in(store, "init")
        self.run_in(store, "import", self.models / "base.safetensors", "--name", "base", "--license",
                    "Apache-2.0", "--source", "hf://acme/base-model")
        self.run_in(store, "add", "sst2", self.models / "tuned.safetensors", "--base", "base", "--tag", "prod")
        self.run_in(store, "remote", "add", "hub", URL)

    def fault(self, name, times=1, **more):
        self.hub.faults[name] = {"times": times, **more}

    def files(self):
        return self.hub.repositories["tester/models"].files

    def assert_restores(self, store):
        self.run_in(store, "restore", "sst2:prod", "-o", self.root / "back", "--force")
        self.assertTrue(filecmp.cmp(self.root / "back", self.models / "tuned.safetensors", False))

    def clone(self, **more):
        return self.run_in("x", "clone", URL, str(self.root / "theirs"), **more)


class Exchange(HubTest):
    def test_a_push_is_there_for_a_clone(self):
        self.make_store()
        said = self.run_in("ours", "push", "hub")
        self.assertIn("Sent 4 objects", said)
        self.assertTrue(self.hub.repositories["tester/models"].private)
        lfs = [path for path, (kind, _, _) in self.files().items() if kind == "lfs"]
        self.assertEqual(len(lfs), 5, "the last one has the signatures")
        self.clone()
        self.assert_restores("theirs")
        self.assertIn("Nothing new", self.run_in("theirs", "pull"))

    def test_one_commit_makes_a_push_visible_and_nothing_moves_twice(self):
        self.make_store()
        self.run_in("ours", "push", "hub")
        repository = self.hub.repositories["tester/models"]
        self.assertEqual(len(repository.commits), 2)
        self.hub.requests.clear()
        self.assertIn("has everything", self.run_in("ours", "push", "hub"))
        self.assertEqual(len(repository.commits), 2)
        self.assertFalse([r for r in self.hub.requests if r["method"] == "PUT"])
        self.run_in("ours", "add", "ner", self.models / "tuned2.safetensors", "--base", "base")
        self.hub.requests.clear()
        self.run_in("ours", "push", "hub", "-n")
        self.assertFalse([r for r in self.hub.requests if r["method"] == "PUT"])
        self.run_in("ours", "push", "hub")
        self.assertEqual(len([r for r in self.hub.requests if r["method"] == "PUT"]), 3)
        self.assertEqual(len(repository.commits), 3)

    def test_a_first_push_asks_for_all_objects_at_once(self):
        self.make_store()
        for i in range(4):
            self.run_in("ours", "add", f"t{i}", self.models / "tuned2.safetensors", "--base", "base",
                        "--note", str(i))
        self.run_in("ours", "push", "hub")
        asked = [r for r in self.hub.requests if r["path"].endswith("/info/lfs/objects/batch")]
        self.assertLessEqual(len(asked), 3, "before there is a repository, then with it, then signatures")

    def test_fetch_takes_two_requests(self):
        self.make_store()
        self.run_in("ours", "push", "hub")
        self.run_in("theirs", "init")
        self.run_in("theirs", "remote", "add", "hub", URL)
        for requests in (2, 1):  # nothing new costs one
            self.hub.requests.clear()
            self.assertIn("2 versions", self.run_in("theirs", "fetch", "hub"))
            self.assertEqual(len(self.hub.requests), requests)

    def test_the_card_is_for_people_and_stays_theirs(self):
        self.make_store()
        self.run_in("ours", "push", "hub")
        card = self.files()["README.md"][1].decode()
        for words in ("base_model:\n- acme/base-model", "base_model_relation: finetune",
                      "license: apache-2.0", "| sst2:v1, prod |", "strata clone hf://tester/models"):
            self.assertIn(words, card)
        self.files()["README.md"] = ("regular", b"mine", 4)
        self.hub.repositories["tester/models"].add_commit("my card")
        self.run_in("ours", "add", "ner", self.models / "tuned2.safetensors", "--base", "base")
        self.run_in("ours", "push", "hub")
        self.assertEqual(self.files()["README.md"][1], b"mine")

    def test_multipart_and_regular_files(self):
        self.make_store()
        self.hub.multipart_from = 1000
        self.hub.regular_below = 700
        self.run_in("ours", "push", "hub")
        self.assertTrue([r for r in self.hub.requests if "/storage/complete/" in r["path"]])
        self.clone()
        self.assert_restores("theirs")

    def test_an_index_too_large_for_a_regular_file(self):
        self.hub.lfs_from = 100
        self.make_store()
        self.run_in("ours", "push", "hub")
        self.assertEqual(self.files()["strata/index.json"][0], "lfs")
        self.clone()
        self.assert_restores("theirs")
        self.run_in("ours", "tag", "sst2:v1", "new")
        self.run_in("ours", "push", "hub")
        self.assertIn("2 tags", self.run_in("theirs", "fetch"))

    def test_a_long_list_is_one_file(self):
        self.make_store()
        self.run_in("ours", "push", "hub")
        for i in range(60):
            self.run_in("ours", "tag", "sst2:v1", f"t{i:02}", "--note", f"{i}" * 5000)
        self.run_in("ours", "push", "hub")
        index = self.files()["strata/index.json"]
        self.assertGreater(index[2], 1 << 18)
        self.assertEqual(json.loads(index[1])["format"], 1)
        self.run_in("ours", "fetch", "hub")
        self.hub.requests.clear()
        self.run_in("ours", "fetch", "hub")
        self.assertEqual(len(self.hub.requests), 1, "nothing new costs one request")
        self.run_in("ours", "tag", "sst2:v1", "late")
        self.run_in("ours", "push", "hub")
        self.assertEqual([path for path in self.files() if "pages" in path], [])
        self.clone()
        self.assert_restores("theirs")
        self.assertIn("62 tags", self.run_in("theirs", "fetch"))
        self.assertIn("all sound", self.run_in("theirs", "remote", "verify"))

    def test_a_list_in_pages_is_refused(self):
        self.make_store()
        self.run_in("ours", "push", "hub")
        text = json.dumps({"format": 3, "refs": {}, "pages": [[0, "0" * 64, 9]]}).encode()
        repository = self.hub.repositories["tester/models"]
        repository.files["strata/index.json"] = ("regular", text, len(text))
        repository.add_commit("in pages")
        for command in (["fetch", "hub"], ["push", "hub"], ["push", "--repair", "hub"]):
            said = self.run_in("ours", *command, code=12)
            self.assertIn("has format 3, a list in pages", said)
        self.assertEqual(self.files()["strata/index.json"][1], text)

    def test_many_parts_arrive_whole(self):
        # 12 MB of noise in three parts.
        header = json.dumps({"w": {"dtype": "U8", "shape": [12 << 20],
                                   "data_offsets": [0, 12 << 20]}}).encode()
        (self.root / "noise.safetensors").write_bytes(
            len(header).to_bytes(8, "little") + header + random.Random(3).randbytes(12 << 20))
        self.run_in("ours", "init")
        self.run_in("ours", "import", self.root / "noise.safetensors", "--name", "noise")
        self.hub.multipart_from = 1 << 20
        self.run_in("ours", "push", URL)
        self.assertEqual(len([r for r in self.hub.requests if "/storage/part/" in r["path"]]), 3)
        self.clone()
        self.run_in("theirs", "verify")

    def test_two_people_with_one_number(self):
        self.make_store("ours")
        self.make_store("theirs2")
        self.run_in("theirs2", "add", "sst2", self.models / "tuned2.safetensors", "--base", "base")
        self.run_in("ours", "add", "sst2", self.models / "other.safetensors", "--base", "none")
        self.run_in("ours", "push", "hub")
        said = self.run_in("theirs2", "push", "hub", code=2)
        self.assertIn("the remote has another sst2:v2", said)


class Plain(HubTest):
    """push --plain: what tools without Strata find."""

    def plain(self):
        """Plain files by path, with their bytes."""
        found = {}
        for path, (kind, content, _) in self.files().items():
            if path.split("/")[0] not in ("objects", "strata", "README.md", ".gitattributes"):
                found[path] = self.hub.storage[content] if kind == "lfs" else content
        return found

    def model(self, name):
        return (self.models / f"{name}.safetensors").read_bytes()

    def make_folder(self, name, model, **texts):
        folder = self.root / name
        folder.mkdir()
        (folder / "model.safetensors").write_bytes(self.model(model))
        for path, text in texts.items():
            (folder / path.replace("_", ".")).write_text(text)
        return folder

    def test_the_newest_version_is_there_as_files(self):
        self.make_store()
        said = self.run_in("ours", "push", "hub", "--plain")
        size = len(self.model("tuned"))
        self.assertEqual(self.plain(), {"tuned.safetensors": self.model("tuned")})
        self.assertIn("Plain files of sst2:v1: 1 file", said)
        self.assertIn("those of sst2:v1", self.files()["README.md"][1].decode())
        self.assertIn("/tuned.safetensors filter=lfs", self.files()[".gitattributes"][1].decode())
        self.assertEqual(len(self.hub.repositories["tester/models"].commits), 2)
        self.run_in("ours", "add", "sst2", self.models / "tuned2.safetensors")
        before = self.plain()
        report = json.loads(self.run_in("ours", "push", "hub", "--plain", "-n", "--json"))
        self.assertEqual(report["plain"]["sent_bytes"], len(self.model("tuned2")))
        self.assertEqual(self.plain(), before)
        self.run_in("ours", "push", "hub", "--plain")
        self.assertEqual(self.plain(), {"tuned2.safetensors": self.model("tuned2")})
        self.hub.requests.clear()
        self.assertIn("already there", self.run_in("ours", "push", "hub", "--plain"))
        self.assertFalse([r for r in self.hub.requests if r["method"] == "PUT" or "/commit/" in r["path"]])
        self.assertGreater(size, 0)

    def test_a_file_leaves_only_with_its_digest(self):
        self.make_store()
        forge_digest(self.root / "ours", "sst2")
        self.run_in("ours", "verify", "--rebuild-catalog")
        said = self.run_in("ours", "push", "hub", "--plain", code=3)
        self.assertIn("tuned.safetensors: the restored bytes have SHA-256", said)
        self.assertEqual(self.plain(), {})

    def test_a_folder_with_small_large_and_empty_files(self):
        self.run_in("ours", "init")
        folder = self.make_folder("m1", "base", config_json="{}", empty_txt="", README_md="mine")
        self.run_in("ours", "import", folder, "--name", "bert")
        said = self.run_in("ours", "push", URL, "--plain")
        self.assertIn("README.md: is left out", said)
        self.assertEqual(self.plain(), {"model.safetensors": self.model("base"), "config.json": b"{}",
                                        "empty.txt": b""})
        self.assertEqual(self.files()["config.json"][0], "regular")
        self.assertEqual(self.files()["model.safetensors"][0], "lfs")
        # The next version has other files: those of the last one go.
        self.run_in("ours", "add", "bert", self.make_folder("m2", "tuned", config_json="{\"a\":1}"))
        self.run_in("ours", "push", URL, "--plain")
        self.assertEqual(self.plain(), {"model.safetensors": self.model("tuned"),
                                        "config.json": b"{\"a\":1}"})

    def test_without_the_option_they_stay_and_it_says_so(self):
        self.make_store()
        self.run_in("ours", "push", "hub", "--plain")
        self.run_in("ours", "add", "sst2", self.models / "tuned2.safetensors")
        self.assertIn("those of sst2:v1; --plain", self.run_in("ours", "push", "hub"))
        self.assertIn("tuned.safetensors", self.plain())
        self.assertIn("those of sst2:v1", self.files()["README.md"][1].decode())

    def test_files_of_others_are_never_replaced(self):
        self.make_store()
        self.run_in("ours", "push", "hub")
        repository = self.hub.repositories["tester/models"]
        repository.files["tuned.safetensors"] = ("regular", b"mine", 4)
        repository.add_commit("my file")
        said = self.run_in("ours", "push", "hub", "--plain", code=2)
        self.assertIn("tuned.safetensors: the repository has another file", said)
        self.assertEqual(self.plain(), {"tuned.safetensors": b"mine"})

    def test_what_cannot_be_sent_leaves_the_versions_alone(self):
        self.make_store()
        self.run_in("ours", "push", "hub")
        self.fault("verify_fails", times=3)
        said = self.run_in("ours", "push", "hub", "--plain", code=1)
        self.assertIn("plain files of sst2:v1: verifying object", said)
        self.assertEqual(self.plain(), {})
        self.hub.faults.clear()
        self.run_in("ours", "push", "hub", "--plain")
        self.assertEqual(self.plain(), {"tuned.safetensors": self.model("tuned")})

    def test_other_remotes_have_no_place_for_them(self):
        self.make_store()
        self.assertIn("no place", self.run_in("ours", "push", f"file://{self.root}/share", "--plain", code=1))

    def test_scores_stand_in_the_card(self):
        self.make_store()
        evaluator = self.root / "evaluator.py"
        evaluator.write_text(
            "import json, sys\n"
            "for line in sys.stdin:\n"
            "    print(json.dumps({'id': json.loads(line)['id'], 'score': 0.875, 'metric': 'accuracy',"
            " 'samples': 8}), flush=True)\n")
        self.run_in("ours", "add", "small", self.models / "tuned2.safetensors", "--base", "base", "--codec",
                    "levels", "--evaluator", f"{sys.executable} {evaluator}")
        self.run_in("ours", "push", "hub")
        card = self.files()["README.md"][1].decode()
        self.assertRegex(card, r"\| small:v1 .*\| lossy \| accuracy 0.875 -\\> 0.875 on 8 samples \|")


class Search(HubTest):
    def plain(self, name, **more):
        repository = hub_standin.Repository(private=False)
        repository.files["model.onnx"] = ("regular", b"x" * 500, 500)
        repository.files["README.md"] = ("regular", b"---\nlicense: mit\nbase_model: acme/base-model\n---\n", 40)
        for key, value in more.items():
            setattr(repository, key, value)
        repository.add_commit("model")
        self.hub.repositories[name] = repository

    def found(self, *words, store="theirs", **more):
        said = self.run_in(store, "search", *words, "--json", **more)
        return {entry["url"]: entry for entry in json.loads(said)["models"]}

    def test_what_is_there_and_what_it_costs(self):
        self.make_store()
        self.run_in("ours", "push", "hub")
        for name in ("acme/bert-onnx", "acme/bert-gated", "other/bert-3", "acme/gpt"):
            self.plain(name, gated="auto" if "gated" in name else False)
        self.run_in("theirs", "init")
        found = self.found("bert")
        self.assertEqual(sorted(found), ["hf://acme/bert-gated", "hf://acme/bert-onnx", "hf://other/bert-3"])
        self.assertEqual(found["hf://acme/bert-onnx"]["kind"], "onnx")
        self.assertEqual(found["hf://acme/bert-onnx"]["license"], "mit")
        self.assertTrue(found["hf://acme/bert-gated"]["gated"])
        self.assertEqual(list(self.found("bert", "--limit", "2")), ["hf://acme/bert-gated", "hf://acme/bert-onnx"])
        self.assertEqual(sorted(self.found("--remote", "hf://acme")),
                         ["hf://acme/bert-gated", "hf://acme/bert-onnx", "hf://acme/gpt"])
        # The versions there, and the bytes that this store lacks.
        ours = self.found("models")[URL]
        self.assertEqual(ours["kind"], "strata")
        self.assertEqual([version["ref"] for version in ours["versions"]], ["base:v1", "sst2:v1"])
        here = {path.parent.name + path.name for path in (self.root / "ours" / "objects").rglob("*")}
        objects = sum(size for path, (_, _, size) in self.files().items()
                      if path.rpartition("/")[2] in here)
        self.assertEqual((ours["fetch_bytes"], ours["parents_here"]), (objects, False))
        self.run_in("theirs", "import", self.models / "base.safetensors", "--name", "mine")
        less = self.found("models", "--strata")[URL]
        self.assertTrue(less["parents_here"])
        self.assertLess(less["fetch_bytes"], objects / 2)
        self.assertEqual(self.found("models", store="ours")[URL]["fetch_bytes"], 0)
        self.assertIn("base is here", self.run_in("theirs", "search", "models"))

    def test_choices(self):
        self.make_store()
        self.run_in("ours", "push", "hub")
        self.plain("acme/popular", downloads=10)
        self.plain("acme/small")
        self.assertEqual(sorted(self.found("--base", "base", store="ours")), ["hf://acme/popular", "hf://acme/small", URL])
        self.assertEqual(list(self.found("--base", "sst2", store="ours")), [URL])
        self.assertEqual(list(self.found("--sort", "downloads", store="ours"))[0], "hf://acme/popular")
        self.assertEqual(list(self.found("--sort", "size", store="ours"))[0], URL)
        self.assertEqual(list(self.found("--max-size", "1B", store="ours")), [URL])
        self.assertEqual(sorted(self.found("--license", "mit", store="ours")), ["hf://acme/popular", "hf://acme/small"])
        self.assertEqual(list(self.found("--license", "gpl-3.0", store="ours")), [])
        files = self.found("--files", store="ours")
        self.assertEqual({file["path"]: file["bytes"] for file in files["hf://acme/small"]["files"]},
                         {"model.onnx": 500, "README.md": 40})
        self.assertIsNone(files[URL]["files"])
        self.assertEqual([version["parent"] for version in files[URL]["versions"]], [None, "base:v1"])
        self.assertIn("500 B  model.onnx", self.run_in("ours", "search", "small", "--files"))
        self.assertIn("Nothing found", self.run_in("ours", "search", "no-such-model"))

    def test_without_a_store_and_without_a_token(self):
        self.make_store()
        self.run_in("ours", "push", "hub")
        self.plain("acme/open")
        nobody = {name: value for name, value in self.environment.items() if name != "HF_TOKEN"}
        self.assertEqual(list(self.found(store="none", environment=nobody)), ["hf://acme/open"])
        self.assertEqual(len(self.found(store="none")[URL]["versions"]), 2)

    def test_one_that_is_broken_does_not_hide_the_others(self):
        self.make_store()
        self.run_in("ours", "push", "hub")
        self.plain("acme/open")
        index = self.files()["strata/index.json"]
        self.hub.repositories["tester/models"].files["strata/index.json"] = ("regular", b"{", 1)
        self.hub.repositories["tester/models"].add_commit("broken")
        said = self.run_in("ours", "search")
        self.assertIn("hf://acme/open", said)
        self.assertIn("Warning", said)
        self.assertGreater(index[2], 1)
        self.fault("html", times=1000)
        self.run_in("ours", "search", code=6)

    def test_folders(self):
        self.make_store()
        share = self.root / "share"
        self.run_in("ours", "push", f"file://{share}/team")
        (share / "other").mkdir()
        for place in (share, share / "team"):
            self.assertEqual(list(self.found("--remote", f"file://{place}")), [f"file://{share}/team"])
        self.assertEqual(self.found("nothing", "--remote", f"file://{share}"), {})
        self.run_in("ours", "search", "--remote", f"file://{self.root}/none", code=5)


class Faults(HubTest):
    def pushes_in_spite_of(self, name, **more):
        self.make_store()
        self.fault(name, **more)
        self.run_in("ours", "push", "hub")
        self.assertEqual(self.hub.faults[name]["times"], 0, "the fault did not happen")
        self.clone()
        self.assert_restores("theirs")

    def test_an_upload_answers_500(self):
        self.pushes_in_spite_of("put_500", times=2)

    def test_a_signed_url_has_expired(self):
        self.pushes_in_spite_of("put_403", times=1)

    def test_a_commit_is_not_made(self):
        self.pushes_in_spite_of("commit_503")
        self.assertEqual(len(self.hub.repositories["tester/models"].commits), 2)

    def test_a_commit_is_made_though_it_answers_503(self):
        self.pushes_in_spite_of("commit_503_made")
        self.assertEqual(len(self.hub.repositories["tester/models"].commits), 2)

    def test_another_commit_is_in_progress(self):
        self.pushes_in_spite_of("commit_409", times=2)

    def test_somebody_else_commits_first(self):
        self.pushes_in_spite_of("commit_412")
        self.assertIn("other.txt", self.files())

    def test_verify_fails(self):
        self.make_store()
        self.fault("verify_fails", times=10)
        self.assertIn("verifying object", self.run_in("ours", "push", "hub", code=1))
        self.assertEqual(len(self.hub.repositories["tester/models"].commits), 1)

    def clones_in_spite_of(self, name, **more):
        self.make_store()
        self.run_in("ours", "push", "hub")
        self.fault(name, **more)
        self.clone()
        self.assertEqual(self.hub.faults[name]["times"], 0, "the fault did not happen")
        self.assert_restores("theirs")

    def test_a_download_breaks_off(self):
        self.clones_in_spite_of("get_cut", times=3, bytes=150)
        self.assertTrue([r for r in self.hub.requests if r["range"] == "bytes=150-"])

    def test_a_range_is_not_honoured(self):
        self.make_store()
        self.run_in("ours", "push", "hub")
        self.fault("get_cut", times=1, bytes=150)
        self.fault("range_ignored", times=1)
        self.clone()
        self.assert_restores("theirs")

    def test_wrong_bytes_once(self):
        self.clones_in_spite_of("get_wrong", times=1)

    def test_asked_to_wait(self):
        self.clones_in_spite_of("get_429", times=2)

    def test_wrong_bytes_for_ever(self):
        self.make_store()
        self.run_in("ours", "push", "hub")
        self.fault("get_wrong", times=1000)
        self.assertIn("hash", self.clone(code=6))
        self.assertNotIn("sst2", self.run_in("theirs", "list"))

    def test_modes_of_files_that_nobody_announced(self):
        self.make_store()
        self.run_in("ours", "push", "hub")
        self.hub.repositories.clear()
        self.hub.storage.popitem()  # the others are there already: not announced by the next push
        self.fault("preupload_more")
        self.run_in("ours", "push", "--create", "hub")
        self.clone()
        self.assert_restores("theirs")

    def test_answers_that_lie(self):
        self.make_store()
        self.run_in("ours", "push", "hub")
        for name, code in (("redirect_loop", 6), ("redirect_file", 6), ("html", 6), ("index_huge", 6)):
            with self.subTest(name):
                self.fault(name, times=1000)
                self.run_in(name, "init")
                self.run_in(name, "pull", URL, code=code)
                self.hub.faults.clear()

    def test_rights(self):
        self.make_store()
        self.run_in("ours", "push", "hub")
        nobody = {name: value for name, value in self.environment.items() if name != "HF_TOKEN"}
        self.run_in("nobody", "init")
        for words in (("pull", URL), ("push", "hf://tester/new")):
            said = self.run_in("ours" if "push" in words else "nobody", *words, code=4, environment=nobody)
            self.assertIn("there is no token: it is missing or private", said)
            self.assertRegex(said, f"Fix: strata .*auth login {words[1]}")
            self.assertNotIn(f"{words[1]}: {words[1]}", said)
        said = self.run_in("nobody", "pull", URL, code=4, environment={**nobody, "HF_TOKEN": "hf_wrong"})
        self.assertIn("Invalid", said)
        self.assertIn("came from $HF_TOKEN", said)
        self.assertRegex(said, f"Fix: strata .*auth status {URL}")
        said = self.run_in("ours", "push", URL, code=4, environment=nobody)
        self.assertRegex(said, "Fix: strata .*auth login hub")
        said = self.run_in("nobody", "pull", "hf://tester/none", code=5)
        self.assertNotIn("Fix:", said, "nothing of this store helps")
        self.run_in("nobody", "pull", URL, "--offline", code=8)
        self.hub.requests.clear()
        self.assertIn("HF_HUB_OFFLINE", self.run_in("nobody", "pull", URL, code=8,
                                                    environment={**self.environment, "HF_HUB_OFFLINE": "yes"}))
        self.assertEqual(self.hub.requests, [])

    def test_a_gated_repository(self):
        self.make_store()
        self.run_in("ours", "push", "hub")
        self.hub.repositories["tester/models"].gated = True
        self.run_in("nobody", "init")
        said = self.run_in("nobody", "pull", URL, code=4)
        self.assertIn("accept its terms on the web page", said)
        self.assertNotIn("auth login", said, "the token is good")

    def test_goes_on_after_it_was_killed(self):
        self.make_store()
        self.run_in("ours", "push", "hub")
        self.run_in("theirs", "init")
        pull = [STRATA, "-C", self.root / "theirs", "pull", URL]
        # The server cuts each answer short and the client is killed while it waits to try again.
        self.fault("get_cut", times=1000, bytes=200)
        process = subprocess.Popen(pull, env=self.environment, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        partial = self.root / "theirs" / "partial"
        while not part_bytes(partial):
            self.assertIsNone(process.poll())
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.hub.faults.clear()
        kept = part_bytes(partial)
        self.hub.requests.clear()
        said = json.loads(self.run_in("theirs", "pull", URL, "--json", "--progress", "never"))
        self.assertGreater(kept, 0)
        self.assertGreaterEqual(said["kept_bytes"], 1)
        self.assertTrue([r for r in self.hub.requests if r["range"]])
        self.assert_restores("theirs")


class Import(HubTest):
    def plain_repository(self):
        repository = hub_standin.Repository(private=False)
        for path in ("config.json", "model.safetensors", "README.md"):
            content = {"config.json": b'{"model_type":"bert"}',
                       "README.md": b"---\nlicense: mit\n---\nhello",
                       "model.safetensors": (self.models / "base.safetensors").read_bytes()}[path]
            if path.endswith("safetensors"):
                oid = hashlib.sha256(content).hexdigest()
                self.hub.storage[oid] = content
                repository.files[path] = ("lfs", oid, len(content))
            else:
                repository.files[path] = ("regular", content, len(content))
        repository.add_commit("model")
        self.hub.repositories["acme/plain"] = repository
        return repository

    def test_a_plain_repository_becomes_a_base(self):
        repository = self.plain_repository()
        self.run_in("ours", "init")
        self.run_in("ours", "import", "hf://acme/plain", "--name", "plain")
        self.run_in("ours", "restore", "plain", "-o", self.root / "back")
        self.assertEqual((self.root / "back" / "config.json").read_bytes(), b'{"model_type":"bert"}')
        shown = json.loads(self.run_in("ours", "show", "plain", "--json"))
        self.assertIn(repository.head, json.dumps(shown))
        self.assertIn('"mit"', json.dumps(shown))
        self.run_in("ours", "add", "sst2", self.models / "tuned.safetensors", "--base", "plain")

    def test_a_plain_repository_becomes_a_version(self):
        repository = self.plain_repository()
        self.make_store()
        self.run_in("ours", "add", "copy", "hf://acme/plain/model.safetensors", "-n")
        self.assertNotIn("copy", self.run_in("ours", "list", "-q"))
        self.run_in("ours", "add", "copy", "hf://acme/plain/model.safetensors", "--base", "sst2", "-m", "again")
        self.run_in("ours", "restore", "copy", "-o", self.root / "back.safetensors")
        self.assertTrue(filecmp.cmp(self.root / "back.safetensors", self.models / "base.safetensors", False))
        self.assertIn(repository.head, json.dumps(json.loads(self.run_in("ours", "show", "copy", "--json"))))
        self.run_in("ours", "add", "whole", "hf://acme/plain", "--profile", "small")
        shown = json.loads(self.run_in("ours", "show", "whole", "--json"))["version"]
        # Its weights are those of the base: nothing is lost.
        self.assertEqual((shown["license"], shown["lossy"], shown["base"]), ("mit", False, "base:v1"))
        self.assertEqual([path for path in (self.root / "ours" / "partial").glob("model-*")], [])
        self.run_in("ours", "add", "none", "hf://acme/plain/none.onnx", code=5)

    def test_what_cannot_be_one(self):
        self.make_store()
        self.run_in("ours", "push", "hub")
        self.assertIn(f" pull {URL}", self.run_in("ours", "import", URL, "--name", "x", code=2))
        said = self.run_in("ours", "import", "hf://tester/none", "--name", "x", code=5)
        self.assertNotIn("Fix:", said, "nothing of this store helps")
        nobody = {name: value for name, value in self.environment.items() if name != "HF_TOKEN"}
        said = self.run_in("ours", "import", URL, "--name", "x", code=4, environment=nobody)
        self.assertRegex(said, "Fix: strata .*auth login")

    def test_one_file_of_it(self):
        self.plain_repository()
        self.run_in("ours", "init")
        self.run_in("ours", "import", "hf://acme/plain/model.safetensors", "--name", "plain")
        self.run_in("ours", "restore", "plain", "-o", self.root / "back.safetensors")
        self.assertTrue(filecmp.cmp(self.root / "back.safetensors", self.models / "base.safetensors", False))
        self.run_in("ours", "import", "hf://acme/plain/none.onnx", "--name", "none", code=5)

    def test_gc_frees_what_an_interrupted_import_left(self):
        self.plain_repository()
        self.run_in("ours", "init")
        self.fault("get_cut", times=1000, bytes=200)
        process = subprocess.Popen(
            [STRATA, "-C", self.root / "ours", "import", "hf://acme/plain", "--name", "plain"],
            env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        partial = self.root / "ours" / "partial"
        while not part_bytes(partial):
            self.assertIsNone(process.poll())
            time.sleep(0.002)
        held = json.loads(self.run_in("ours", "gc", "--yes", "--json"))
        self.assertEqual((held["parts"], held["held_parts"]), (0, 1), "it runs")
        process.kill()
        process.wait()
        freed = json.loads(self.run_in("ours", "gc", "--yes", "--json"))
        self.assertEqual((freed["parts"], freed["held_parts"]), (1, 0))
        self.assertGreater(freed["part_bytes"], 0)
        self.assertEqual({file.name for file in partial.iterdir()}, {"holds"})

    def test_what_is_not_what_its_name_says(self):
        self.plain_repository()
        self.run_in("ours", "init")
        self.fault("get_wrong", times=1000)
        self.run_in("ours", "import", "hf://acme/plain", "--name", "plain", code=6)
        self.hub.faults.clear()
        self.fault("tree_bad_path", times=1000)
        self.assertIn("../x", self.run_in("ours", "import", "hf://acme/plain", "--name", "plain", code=6))
        self.assertFalse((self.root / "x").exists())
        self.hub.faults.clear()
        self.fault("tree_elsewhere", times=1000)
        self.assertIn("goes on elsewhere", self.run_in("ours", "import", "hf://acme/plain", "--name", "plain", code=6))


@needs(PYTHON.exists(), "huggingface_hub", PEERS)
class RealClient(HubTest):
    def python(self, code, *words):
        done = subprocess.run([PYTHON, "-c", code, *map(str, words)], env=self.environment,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def test_downloads_what_strata_pushed(self):
        self.make_store()
        self.run_in("ours", "push", "hub")
        folder = pathlib.Path(self.python(
            "import huggingface_hub as h; print(h.snapshot_download('tester/models'))"))
        self.assertIn("base_model_relation: finetune", (folder / "README.md").read_text())
        objects = [path for path in (folder / "objects").rglob("*") if path.is_file()]
        self.assertEqual(len(objects), 5)
        for path in objects:
            self.assertEqual(hashlib.sha256(path.read_bytes()).hexdigest(), path.name)

    def test_loads_plain_files(self):
        self.make_store()
        self.run_in("ours", "push", "hub", "--plain")
        path = self.python("import huggingface_hub as h;"
                           "print(h.hf_hub_download('tester/models', 'tuned.safetensors'))")
        self.assertEqual(pathlib.Path(path).read_bytes(), (self.models / "tuned.safetensors").read_bytes())
        # What the repository has beside a model's files is no part of the model.
        self.run_in("other", "init")
        self.run_in("other", "import", URL, "--name", "plain")
        self.run_in("other", "restore", "plain", "-o", self.root / "back")
        self.assertEqual(sorted(path.name for path in (self.root / "back").iterdir()),
                         ["README.md", "tuned.safetensors"])

    def test_searches_as_the_client_does(self):
        self.make_store()
        self.run_in("ours", "push", "hub", "--public")
        listed = self.python("import huggingface_hub as h;"
                             "print([(m.id, m.tags) for m in h.list_models(search='mod', filter='strata',"
                             " limit=5, expand=['tags', 'downloads', 'lastModified', 'usedStorage'])])")
        self.assertIn("tester/models", listed)
        self.assertIn("license:apache-2.0", listed)

    def test_strata_imports_what_it_uploaded(self):
        self.hub.multipart_from = 10_000
        folder = self.root / "upload"
        folder.mkdir()
        (folder / "model.safetensors").write_bytes((self.models / "base.safetensors").read_bytes())
        (folder / "config.json").write_text("{}")
        (folder / "empty.txt").write_text("")
        self.python("import sys, huggingface_hub as h; a = h.HfApi(); a.create_repo('tester/up', exist_ok=True);"
                    "a.upload_folder(repo_id='tester/up', folder_path=sys.argv[1])", folder)
        self.run_in("ours", "init")
        self.run_in("ours", "import", "hf://tester/up", "--name", "up")
        self.run_in("ours", "restore", "up", "-o", self.root / "back")
        for path in folder.iterdir():
            self.assertEqual((self.root / "back" / path.name).read_bytes(), path.read_bytes())


if __name__ == "__main__":
    unittest.main(verbosity=2)
