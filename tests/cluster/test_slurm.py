"""examples/cluster/add_array.sh by Slurm, all of it on this machine and under this user."""
import getpass
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE.parent / "cli"), str(HERE.parent / "hub")]

from make_models import safetensors, tensors_of, tuned  # noqa: E402
from peers import free_ports  # noqa: E402

STRATA = pathlib.Path(sys.argv[1]).resolve()
TASKS, MODELS = 4, 40
PATH = os.pathsep.join([str(STRATA.parent), os.environ["PATH"], "/usr/sbin"])
MISSING = [name for name in ("munged", "slurmctld", "slurmd", "sbatch")
           if shutil.which(name, path=PATH) is None]

CONFIG = """
ClusterName=try
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={root}/munge.socket
StateSaveLocation={root}/state
SlurmdSpoolDir={root}/spool
SlurmctldPidFile={root}/slurmctld.pid
SlurmdPidFile={root}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
NodeName={host} NodeAddr=127.0.0.1 CPUs={tasks}
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


class Cluster:
    """munged, slurmctld and slurmd of one node, until the block ends."""

    def __init__(self, root):
        self.root = root
        self.environment = {**os.environ, "PATH": PATH, "SLURM_CONF": str(root / "slurm.conf"),
                            "HOME": str(root / "home"), "TMPDIR": str(root / "scratch"),
                            "STRATA_STORE": ""}
        self.daemons = []

    def __enter__(self):
        for name in ("state", "spool", "home", "scratch"):
            (self.root / name).mkdir()
        host = socket.gethostname().split(".")[0]
        (self.root / "slurm.conf").write_text(CONFIG.format(
            host=host, user=getpass.getuser(), ports=free_ports(2), root=self.root, tasks=TASKS))
        key = self.root / "munge.key"
        key.touch(0o600)
        key.write_bytes(os.urandom(1024))
        try:
            self.start("munged", "--foreground", "--force", f"--key-file={key}",
                       f"--socket={self.root}/munge.socket", f"--pid-file={self.root}/munge.pid",
                       f"--log-file={self.root}/munge.log", f"--seed-file={self.root}/munge.seed")
            self.wait("munged", lambda: (self.root / "munge.socket").exists())
            self.start("slurmctld", "-D", "-c")
            self.start("slurmd", "-D", "-N", host)
            self.wait("the node", lambda: self.say("sinfo", "-h", "-o", "%T").strip() == "idle")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for daemon in reversed(self.daemons):
            daemon.terminate()
            try:
                daemon.wait(20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()

    def start(self, *words):
        with open(self.root / f"{words[0]}.out", "wb") as out:
            self.daemons.append(subprocess.Popen(words, stdout=out, stderr=subprocess.STDOUT,
                                                 stdin=subprocess.DEVNULL, env=self.environment,
                                                 cwd=self.root))

    def wait(self, what, is_there, seconds=60):
        end = time.monotonic() + seconds
        while not is_there():
            if time.monotonic() > end:
                logs = [(self.root / f"{name}.out") for name in ("munged", "slurmctld", "slurmd")]
                told = "\n".join(log.read_text()[-1500:] for log in logs if log.exists())
                raise AssertionError(f"{what} is not there after {seconds} s:\n{told}")
            time.sleep(0.2)

    def say(self, *words, check=False):
        done = subprocess.run(words, text=True, capture_output=True, env=self.environment,
                              cwd=self.root, timeout=120, check=False)
        if check and done.returncode != 0:
            raise AssertionError(f"{words}: exit {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def submit(self, array):
        """The job's number."""
        words = ["sbatch", "--parsable", f"--array={array}", "-o", f"{self.root}/task-%a.log",
                 ROOT / "examples" / "cluster" / "add_array.sh", "list", self.root / "shared",
                 str(TASKS)]
        return self.say(*words, check=True).strip()

    def finish(self, job):
        self.wait(f"the end of job {job}",
                  lambda: job not in self.say("squeue", "-h", "-o", "%A %F"), 120)

    def strata(self, *words):
        return self.say(STRATA, "-C", self.root / "store", *words, check=True)


@unittest.skipIf(MISSING, f"{', '.join(MISSING)}: missing; apt-get install slurm-wlm")
class Slurm(unittest.TestCase):
    def begin(self, cluster):
        """A remote with the base, and the list of all models."""
        base = tensors_of(1)
        (cluster.root / "base.safetensors").write_bytes(safetensors(base))
        for index in range(MODELS):
            model = safetensors(tuned(base, 100 + index))
            (cluster.root / f"m{index}.safetensors").write_bytes(model)
        lines = [f"m{index}\tm{index}.safetensors\tbase\n" for index in range(MODELS)]
        (cluster.root / "list").write_text("".join(lines))
        cluster.strata("init")
        cluster.strata("import", "base.safetensors", "--name", "base")
        cluster.strata("push", cluster.root / "shared")

    def logs(self, cluster):
        return [(cluster.root / f"task-{task}.log").read_text() for task in range(TASKS)]

    def test_an_array_stores_each_model_once(self):
        with tempfile.TemporaryDirectory(prefix="strata-slurm-") as folder:
            with Cluster(pathlib.Path(folder)) as cluster:
                self.begin(cluster)
                job = cluster.submit(f"0-{TASKS - 1}")
                # One task is killed, wherever it is by then.
                cluster.wait("a task", lambda: (cluster.root / "task-1.log").exists())
                cluster.say("scancel", "--signal=KILL", "--full", f"{job}_1")
                cluster.finish(job)
                cluster.finish(cluster.submit("1"))
                self.check(cluster)
                cluster.finish(cluster.submit(f"0-{TASKS - 1}"))
                for log in self.logs(cluster):
                    self.assertIn(f"0 stored, {MODELS // TASKS} on the remote before", log)
                self.assertEqual(list((cluster.root / "scratch").glob(f"strata-{job}-0")), [])

    def check(self, cluster):
        logs = "\n".join(self.logs(cluster))
        cluster.strata("pull", cluster.root / "shared")
        listed = json.loads(cluster.strata("list", "--versions", "--json"))["versions"]
        wanted = ["base:v1"] + [f"m{index}:v1" for index in range(MODELS)]
        self.assertEqual(sorted(one["ref"] for one in listed), sorted(wanted), logs)
        for index in range(0, MODELS, 7):
            cluster.strata("restore", f"m{index}", "-o", "back", "--force")
            self.assertEqual((cluster.root / "back").read_bytes(),
                             (cluster.root / f"m{index}.safetensors").read_bytes())


if __name__ == "__main__":
    sys.argv = sys.argv[:1]
    unittest.main(verbosity=2)
