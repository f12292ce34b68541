"""strata serve beside restore: first byte, rate, memory with eight clients.

    run_serve.py --strata PROGRAM --base FILE --tuned FILE

Both sides of a line of the table are measured in one run. The downloads are compared with the file.
"""
import argparse
import concurrent.futures
import http.client
import json
import os
import pathlib
import random
import statistics
import subprocess
import tempfile
import threading
import time

ROUNDS = 5


class Server:
    def __init__(self, strata, store, memory, pinned=()):
        self.process = subprocess.Popen(
            [*pinned, strata, "-C", store, "serve", "--listen", "127.0.0.1:0", "--json", "--memory", memory],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        url = json.loads(self.process.stdout.readline())["url"]
        self.host, self.port = url.removeprefix("http://").split(":")

    def get(self, path):
        """Seconds to the first byte and to the last, and the bytes."""
        connection = http.client.HTTPConnection(self.host, int(self.port))
        begin = time.perf_counter()
        connection.request("GET", path)
        answer = connection.getresponse()
        body = [answer.read(1)]
        first = time.perf_counter() - begin
        while part := answer.read(1 << 20):
            body.append(part)
        whole = time.perf_counter() - begin
        connection.close()
        return first, whole, b"".join(body)

    def resident(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("RssAnon:")[1].split()[0]) / 1000

    def cpu_seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()


def drain(server, path):
    """A client in a process of its own; the bytes that came."""
    done = subprocess.run(["curl", "-s", "-o", "/dev/null", "-w", "%{size_download}",
                           f"http://{server.host}:{server.port}{path}"], check=True, capture_output=True, text=True)
    return int(done.stdout)


class Peak:
    """The most memory that a server has while the block runs, looked at twenty times a second."""

    def __init__(self, server):
        self.server, self.megabytes, self.over = server, server.resident(), threading.Event()
        self.thread = threading.Thread(target=self.watch)

    def watch(self):
        while not self.over.wait(0.05):
            self.megabytes = max(self.megabytes, self.server.resident())

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()
        self.megabytes = max(self.megabytes, self.server.resident())


def one_core(strata, store, paths, byte_count):
    """Eight clients of a server on core 0 beside a restore into a pipe on that core, in turn."""
    pinned = ["taskset", "-c", "0"]
    lines = []
    for memory in ("64MB", "512MB"):
        decode, served, busy, grown = [], [], [], []
        for _ in range(ROUNDS):
            begin = time.perf_counter()
            subprocess.run([*pinned, strata, "-C", store, "restore", paths[0].split("/")[1], "-o", "-", "--memory", memory],
                           check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            decode.append(byte_count / (time.perf_counter() - begin))
            server = Server(strata, store, memory, pinned)
            try:
                drain(server, paths[0])
                one, cpu = server.resident(), server.cpu_seconds()
                begin = time.perf_counter()
                with Peak(server) as peak, concurrent.futures.ThreadPoolExecutor(8) as pool:
                    assert set(pool.map(lambda i: drain(server, paths[i % len(paths)]), range(16))) == {byte_count}
                    seconds = time.perf_counter() - begin
                served.append(16 * byte_count / seconds)
                busy.append((server.cpu_seconds() - cpu) / seconds)
                grown.append((one, peak.megabytes))
            finally:
                server.stop()
        one, eight = (max(column) for column in zip(*grown))
        shares = sorted(round(100 * share) for share in busy)
        lines.append(f"| {len(paths)} | {memory} | {statistics.median(decode) / 1e6:.0f} MB/s | "
                     f"{statistics.median(served) / 1e6:.0f} MB/s | {shares[len(shares) // 2]} ({shares[0]}-{shares[-1]}) % | "
                     f"{one:.0f} MB | {eight:.0f} MB |")
    return "\n".join(lines)


def alike(original, seed):
    """Another fine-tune of the same size: the low four bits of all words are others."""
    head = 8 + int.from_bytes(original[:8], "little")
    count = (len(original) - head) // 4 * 4
    noise = random.Random(seed).getrandbits(8 * count) & int.from_bytes(b"\x0f\0\0\0" * (count // 4), "little")
    words = int.from_bytes(original[head:head + count], "little") ^ noise
    return original[:head] + words.to_bytes(count, "little") + original[head + count:]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--strata", required=True)
    parser.add_argument("--base", required=True, type=pathlib.Path)
    parser.add_argument("--tuned", required=True, type=pathlib.Path)
    parser.add_argument("--memory", default="512MB")
    options = parser.parse_args()
    original = options.tuned.read_bytes()
    megabytes = len(original) / 1e6
    path = f"/tuned/resolve/main/{options.tuned.name}"
    with tempfile.TemporaryDirectory() as folder:
        def strata(*words):
            subprocess.run([options.strata, "-C", f"{folder}/store", *words], check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        strata("init")
        strata("import", str(options.base), "--name", "base")
        strata("add", "tuned", str(options.tuned))
        restore, cold, cold_first, warm, warm_first = [], [], [], [], []
        for _ in range(ROUNDS):
            begin = time.perf_counter()
            strata("restore", "tuned", "-o", f"{folder}/restored", "--force")
            restore.append(time.perf_counter() - begin)
            os.unlink(f"{folder}/restored")
            server = Server(options.strata, f"{folder}/store", options.memory)
            try:
                for firsts, wholes in ((cold_first, cold), (warm_first, warm)):
                    first, whole, body = server.get(path)
                    assert body == original
                    firsts.append(first)
                    wholes.append(whole)
            finally:
                server.stop()
        server = Server(options.strata, f"{folder}/store", "64MB")
        try:
            server.get(path)
            one = server.resident()
            begin = time.perf_counter()
            with concurrent.futures.ThreadPoolExecutor(8) as pool:
                for _, _, body in pool.map(lambda _: server.get(path), range(16)):
                    assert body == original
            many = time.perf_counter() - begin
            eight = server.resident()
        finally:
            server.stop()
        alone = [one_core(options.strata, f"{folder}/store", [path], len(original))]
        for seed in range(8):
            other = pathlib.Path(folder) / options.tuned.name
            other.write_bytes(alike(original, seed))
            strata("add", f"v{seed}", str(other), "--base", "base", "--no-chain")
            other.unlink()
        paths = [f"/v{seed}/resolve/main/{options.tuned.name}" for seed in range(8)]
        alone.append(one_core(options.strata, f"{folder}/store", paths, len(original)))

    def rate(seconds):
        return f"{megabytes / statistics.median(seconds):.0f} MB/s"

    def milliseconds(seconds):
        return f"{1000 * statistics.median(seconds):.1f} ms"

    print("| what | first byte | whole file |")
    print("|---|---|---|")
    print(f"| `restore` to disk | | {rate(restore)} |")
    print(f"| `serve`, new server | {milliseconds(cold_first)} | {rate(cold)} |")
    print(f"| `serve`, again | {milliseconds(warm_first)} | {rate(warm)} |")
    print(f"\n`--memory 64MB`: {one:.0f} MB after one client, {eight:.0f} MB after 16 downloads by "
          f"8 clients at once, together {16 * megabytes / many:.0f} MB/s")
    print("\nThe server on one core: `restore -o -`, then 16 downloads by 8 clients\n\n"
          "| versions | `--memory` | restore | 8 clients together | of the core | memory after one client | most |\n"
          "|---|---|---|---|---|---|---|")
    print("\n".join(alone))


if __name__ == "__main__":
    main()
