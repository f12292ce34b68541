strata init -q >/dev/null
cp -r $MODELS/run out
cp $MODELS/run/checkpoint-10/trainer_state.json out/checkpoint-20/
sed -i 's/"global_step": 10/"global_step": 20/' out/checkpoint-20/trainer_state.json
strata watch out --run run --once -q >/dev/null
strata prune run --keep-optimizer 1 -q
file=$(strata show run:step-10 --json | python3 -c '
import json, pathlib, sys
packs = json.load(sys.stdin)["packs"]
print(max((pathlib.Path(".strata/objects", one[:2], one[2:]) for one in packs), key=lambda one: one.stat().st_mtime_ns))')
chmod u+w $file && printf '\x01' | dd of=$file bs=1 seek=60 conv=notrunc status=none
echo "- what mends a damaged version stays"
strata verify; echo "exit $?"
strata trash empty --yes; echo "exit $?"
strata trash list -q
strata trash empty run:v2 --yes; echo "exit $?"
strata trash empty -n --json | grep -o '"held":.*}\]'
echo "- until that is mended"
strata verify --repair; echo "exit $?"
strata verify --rebuild -q && echo sound
strata trash empty --yes; echo "exit $?"
strata restore run:step-10 -o ten -q >/dev/null && ls ten
