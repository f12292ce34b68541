strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata push file://$PWD/stick --json --progress never
strata -C new init -q >/dev/null
strata -C new pull file://$PWD/stick --json --progress never
echo "# a parent goes along without its name"
strata add sst2 $MODELS/tuned.safetensors -q >/dev/null && strata remove base -q >/dev/null
strata push file://$PWD/other --json --progress never | tail -1 | python3 -c '
import json, sys
report = json.load(sys.stdin)
print([(one["ref"], one["nameless"]) for one in report["pushed"]], report["turned"])'
