strata init -q >/dev/null
run=$EXAMPLES/../tests/data/pytorch/1.13
echo "- a checkpoint of a run, and that of the next step: little more than its first moments"
strata add run $run/step-3.ckpt --base none -q >/dev/null
strata add run $run/step-4.ckpt --json | tail -n 1 | python3 -c '
import json, sys
version = json.load(sys.stdin)["version"]
print("less than half:", version["stored_bytes"] * 2 < version["original_bytes"])'
strata restore run:v2 -o again.ckpt -q >/dev/null && cmp again.ckpt $run/step-4.ckpt && echo same
strata verify --full -q >/dev/null && echo sound
