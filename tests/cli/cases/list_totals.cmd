# What is listed and what the store takes are two sums; a version that shares another's objects says so.
strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata add one $MODELS/tuned.safetensors --base base -q >/dev/null
strata add one $MODELS/tuned2.safetensors --base one:v1 --chain -q >/dev/null
strata add two $MODELS/tuned2.safetensors -q >/dev/null
strata add small $MODELS/tuned.safetensors --base base --codec levels -q >/dev/null
strata list --versions
strata list --tree
strata list two
strata show two | head -2
strata log two | tail -1
strata list --filter lossy --columns ref,fidelity
strata list --filter exact --versions -q
strata list --filter 'fidelity!=lossy' -q
strata list --filter loss; echo "exit $?"
sums() { strata list "$@" --json | python3 -c '
import json, sys
listed = json.load(sys.stdin)
for row in listed["versions"]:
    print(row["ref"], row["stored_bytes"] > 0, row["own_bytes"], row["shared_bytes"] and row["shared_bytes"] > 0)
print(listed["listed"] and listed["listed"]["object_bytes"], listed["totals"]["store_bytes"])'; }
sums two | sed -E 's/[0-9]{3,}/N/g'
# Each object counts once, as in du.
python3 - <<'P'
import json, subprocess
run = lambda *words: json.loads(subprocess.run(["strata", *words, "--json"], capture_output=True).stdout)
for glob in ("two", "*o*", "*"):
    listed, used = run("list", "--versions", glob)["listed"], run("du", glob)["totals"]
    print(listed["object_bytes"] == used["own_bytes"] + used["shared_bytes"], end=" ")
print(run("list", "--versions", "*")["listed"]["object_bytes"] == run("list")["totals"]["store_bytes"])
P
# The other one goes for good: what it shared is its own now.
strata remove --now -y one:v2 -q >/dev/null
strata list two --columns ref,stored,ratio
