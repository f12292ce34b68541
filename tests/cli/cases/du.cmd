strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata add sst2 $MODELS/tuned.safetensors -q >/dev/null; strata add same $MODELS/tuned.safetensors -q >/dev/null
strata add other $MODELS/other.safetensors -q >/dev/null; strata remove other -q >/dev/null
strata du
strata du 's*' -q
strata du --json | python3 -c '
import json, pathlib, sys
usage = json.load(sys.stdin)
total = usage["totals"]
own = sum(row["own_bytes"] for row in usage["versions"])
objects = sum(file.stat().st_size for file in pathlib.Path(".strata/objects").glob("*/*"))
print(own == total["own_bytes"], own + total["shared_bytes"] + total["trash_bytes"] == objects == total["store_bytes"])'
strata du none
strata trash empty -y -q >/dev/null; strata remove same sst2 -q >/dev/null; strata trash empty -y -q > /dev/null
strata add sst2 $MODELS/tuned.safetensors --base base -q >/dev/null; strata remove base --now -y -q >/dev/null
strata du --json | python3 -c '
import json, sys
usage = json.load(sys.stdin)
total = usage["totals"]
print(total["trash_bytes"], total["kept_bytes"] > 0, total["own_bytes"] == total["store_bytes"])'
strata du
strata remove sst2 --now -y
