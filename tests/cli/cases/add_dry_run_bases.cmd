strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata import $EXAMPLES/base.safetensors --name digits -q >/dev/null
strata add sst2 $MODELS/tuned.safetensors -n
strata add sst2 $MODELS/tuned.safetensors -n --json --progress never | python3 -c '
import json, sys
for row in json.load(sys.stdin)["bases"]:
    print(row["base"], sorted(row), row["serves"], row["estimated_bytes"] > 0)'
echo "# after a lossy version"
strata add lossy $MODELS/tuned.safetensors --profile safe --base base -q >/dev/null
strata add lossy $MODELS/tuned2.safetensors -n | tail -4
