strata init -q >/dev/null
strata import $MODELS/base.safetensors --name base -q >/dev/null
echo "- a date that is none"
strata list --filter 'date>gestern'; echo "exit $?"
strata list --filter 'date>2026-13'; echo "exit $?"
strata list --filter 'date>2020-01-31 23' -q; echo "exit $?"
echo "- a name that is a remote, too"
strata remote add base ./there
strata import $MODELS/base.safetensors --name other -q >/dev/null
strata remote add there ./there; strata rename other there
echo "- a checkpoint that is cut"
head -c 3000 $MODELS/base.safetensors > cut.safetensors
strata restore base --partial '*' -o cut.safetensors; echo "exit $?"
echo "- what lies nowhere"
strata restore base --format safetensors -o gone/t.safetensors 2>&1 | sed 's/file-[0-9a-f]*/file-N/'; echo "exit ${PIPESTATUS[0]}"
strata restore nothing -o t.safetensors; echo "exit $?"
echo "- a profile that cannot be replaced, a test that cannot run"
strata tune $MODELS/tuned.safetensors --base base --save small --force; echo "exit $?"
printf '%s\n' 'import sys, json' 'for line in sys.stdin: print(json.dumps({"id": json.loads(line)["id"], "score": 0.9}), flush=True)' > evaluator.py
strata tune $MODELS/tuned.safetensors --base base --target quality_loss=0.5 --evaluator "python3 evaluator.py" --evaluator-test no-such-program >/dev/null; echo "exit $?"
echo "- a full disk for its words"
strata list > /dev/full; echo "exit $?"
strata list --json > /dev/full; echo "exit $?"
strata add tuned $MODELS/tuned.safetensors --json > /dev/full; echo "exit $?"
strata list -q
echo "- a place that is taken"
strata snapshot run $MODELS/run/checkpoint-10 -q >/dev/null 2>&1
mkdir taken; strata resume run -o taken; echo "exit $?"
