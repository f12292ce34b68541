cat >evaluator.py <<'END'
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    score = 0.9 if asked.get("reference") else float(sys.argv[1])
    print(json.dumps({"id": asked["id"], "score": score, "metric": "accuracy", "samples": 1000}), flush=True)
END
strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
added() { strata add sst2 $MODELS/tuned.safetensors --base base --profile small --target quality_loss=0.5 --search fixed --evaluator "python3 evaluator.py 0.9" --evaluator-test "python3 evaluator.py $1" "${@:2}" 2>&1 >/dev/null | grep "missed on test"; echo "exit ${PIPESTATUS[0]}"; }
strata tune $MODELS/tuned.safetensors --base base --profile small --target quality_loss=0.5 --search fixed --save held --evaluator "python3 evaluator.py 0.9" --evaluator-test "python3 evaluator.py 0.896" >/dev/null 2>&1; echo "exit $?"
added 0.8907
strata list -q
added 0.8907 --allow-miss
strata list -q
