"""The ordinary clients download restored models from strata serve: huggingface_hub, hf, curl."""
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

from peers import needs
from served_store import Served

STRATA, PEERS = sys.argv[1], pathlib.Path(sys.argv[2])
sys.argv = sys.argv[:1]
HAS_CLIENT = (PEERS / "bin" / "hf").exists()
TOKEN = "hf_serve-test-token"

SCRIPT = """
import os, sys, huggingface_hub
from huggingface_hub import HfApi, hf_hub_download, snapshot_download
api = HfApi()
assert [m.id for m in api.list_models()] == ["base", "bert", "sst2"]
assert api.list_repo_files("sst2") == ["tuned2.safetensors"]
assert api.list_repo_files("sst2", revision="v1") == ["tuned.safetensors"]
refs = api.list_repo_refs("sst2")
assert [b.name for b in refs.branches] == ["main"]
assert sorted(t.name for t in refs.tags) == ["prod", "v1", "v2"]
assert api.model_info("sst2").sha == refs.branches[0].target_commit
assert api.model_info("bert", files_metadata=True).siblings[0].size > 0
assert api.repo_exists("sst2") and not api.repo_exists("nope")
assert api.file_exists("sst2", "tuned2.safetensors") and not api.file_exists("sst2", "x")
assert api.revision_exists("sst2", "v1") and not api.revision_exists("sst2", "v9")
assert [p.path for p in api.get_paths_info("bert", ["config.json", "x"])] == ["config.json"]
assert len(api.list_repo_commits("sst2")) == 2
assert "config.json" in [e.path for e in api.list_repo_tree("bert")]
try:
    api.upload_file(path_or_fileobj=b"x", path_in_repo="x", repo_id="sst2")
    raise SystemExit("an upload was taken")
except huggingface_hub.errors.HfHubHTTPError as error:
    assert "read-only" in str(error), error
print(snapshot_download("bert"))
print(hf_hub_download("sst2", "tuned.safetensors", revision="prod"))
print(snapshot_download("strata/sst2", revision=refs.branches[0].target_commit))
print(snapshot_download("base", local_dir=sys.argv[1]))
"""


def same_files(case, folder, model):
    """Every file of the model lies in the folder; a file of a model of one file likewise."""
    files = [model] if model.is_file() else [p for p in model.rglob("*") if p.is_file()]
    root = model.parent if model.is_file() else model
    for file in files:
        copy = pathlib.Path(folder) / file.relative_to(root)
        case.assertEqual(copy.read_bytes(), file.read_bytes(), str(copy))


@needs(HAS_CLIENT, "huggingface_hub", PEERS)
class HuggingFaceClient(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.served = Served(STRATA, variables={"STRATA_SERVE_TOKEN": TOKEN}).__enter__()
        cls.home = cls.served.root / "hf"
        cls.environment = {**cls.served.environment, "HF_HOME": str(cls.home), "HF_TOKEN": TOKEN,
                           "HF_ENDPOINT": cls.served.url, "HF_HUB_DISABLE_TELEMETRY": "1"}

    @classmethod
    def tearDownClass(cls):
        cls.served.__exit__()

    def peer(self, *words, **more):
        return subprocess.run([PEERS / "bin" / words[0], *words[1:]], text=True, check=False,
                              capture_output=True, env={**self.environment, **more})

    def test_library(self):
        local = self.served.root / "local"
        done = self.peer("python", "-c", SCRIPT, str(local))
        self.assertEqual(done.returncode, 0, done.stderr)
        bert, prod, newest, base = done.stdout.split()
        models = self.served.models
        same_files(self, bert, models / "folder")
        same_files(self, pathlib.Path(prod).parent, models / "tuned.safetensors")
        same_files(self, newest, models / "tuned2.safetensors")
        same_files(self, base, models / "base.safetensors")
        blobs = list(self.home.glob("hub/models--*/blobs/*"))
        self.assertTrue(blobs)
        for blob in blobs:  # named by the SHA-256 that the server gave
            digest = subprocess.run(["sha256sum", blob], capture_output=True, check=True).stdout
            self.assertEqual(digest.split()[0].decode(), blob.name)

    def test_command(self):
        local = self.served.root / "by-command"
        done = self.peer("hf", "download", "bert", "--local-dir", str(local))
        self.assertEqual(done.returncode, 0, done.stderr)
        same_files(self, local, self.served.models / "folder")

    def test_wrong_token(self):
        for token in ("wrong", ""):
            done = self.peer("hf", "download", "bert", HF_TOKEN=token,
                             HF_HOME=str(self.served.root / "other"))
            self.assertNotEqual(done.returncode, 0)
        self.assertNotIn(TOKEN, self.served.logged())


@needs(shutil.which("curl"), "curl", PEERS)
class Curl(unittest.TestCase):
    def test_download_in_two_steps(self):
        with Served(STRATA, big=True) as served:
            url = f"{served.url}/big/resolve/main/big.safetensors"
            model = (served.models / "big.safetensors").read_bytes()
            target = served.root / "big"
            with open(target, "wb") as part:
                part.write(model[:12_345_678])
            subprocess.run(["curl", "-sf", "-C", "-", "-o", target, url], check=True)
            self.assertEqual(target.read_bytes(), model)
            status = subprocess.run(["curl", "-sI", "-o", os.devnull, "-w", "%{http_code}", url],
                                    check=True, capture_output=True, text=True).stdout
            self.assertEqual(status, "200")


if __name__ == "__main__":
    unittest.main(verbosity=2)
