/usr/bin/env python3 -c "import numpy" 2>/dev/null || PATH=/usr/bin:$PATH
python3 -c "import numpy" 2>/dev/null || { echo "no numpy for the evaluator of the examples"; exit 77; }
scored() { echo "python3 $EXAMPLES/digits_eval.py rotated --part $1"; }
strata init -q >/dev/null && strata import $EXAMPLES/base.safetensors --name base -q >/dev/null
strata tune $EXAMPLES/rotated.safetensors --base base --target quality_loss=2 --trials 12 --save mine --plot plot.svg --evaluator "$(scored choice)" --evaluator-test "$(scored test)" --json 2>/dev/null >tuned.json; echo "exit $?"
python3 - <<'END'
import json
tuned = [json.loads(line) for line in open("tuned.json")][-1]
chosen = tuned["chosen"]
print("met", tuned["met"], "within its target", chosen["loss_points"] <= 2, "likely to hold", chosen["likely_loss_points"] <= 2)
print("ratio above 20", chosen["ratio"] > 20, "test samples", tuned["test"]["samples"])
END
head -c 4 plot.svg; echo
strata add rotated $EXAMPLES/rotated.safetensors --base base --profile mine --evaluator "$(scored choice)" --evaluator-test "$(scored test)" -q
strata show rotated --json | python3 -c "import json, sys; v = json.load(sys.stdin); print(v['quality'] is not None, v['version']['lossy'])"
strata restore rotated -o back.safetensors -q && python3 $EXAMPLES/score.py back.safetensors | wc -l
strata add again $EXAMPLES/rotated.safetensors --base base --profile mine 2>/dev/null | grep -cE "^  (quality|test:) "
