cp -r $MODELS/run run-of-mine # a watcher makes links of files, which others read meanwhile
strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
cat > score.py <<'EOF'
import array, json, sys
reference = None
for line in sys.stdin:
    asked = json.loads(line)
    with open(asked["model"] + "/model.safetensors", "rb") as file:
        words = array.array("f", file.read()[-4 * 1024:])
    reference = words if asked.get("reference") else reference
    squares = sum((a - b) ** 2 for a, b in zip(words, reference))
    print(json.dumps({"id": asked["id"], "score": 1, "metric": "made up", "divergence": squares}), flush=True)
EOF
printf 'mode = "quality"\n[target]\nquality_loss = 1\n[quantize]\ncodec = "exponent"\n[search]\nmethod = "guided"\n' > mine.toml
echo "- the whole grid, then near the last settings"
strata snapshot run $MODELS/run/checkpoint-5 --base base --profile mine.toml --evaluator "python3 score.py" | sed 's/  Stored.*//'
strata snapshot run $MODELS/run/checkpoint-10 --profile mine.toml --evaluator "python3 score.py" | sed 's/  Stored.*//'
strata show run | grep -E 'fidelity|quality'
echo "- nothing is lost where none can be scored"
strata snapshot other $MODELS/run/checkpoint-5 --base base --profile mine.toml --evaluator false >/dev/null; echo "exit $?"
strata list --versions --columns ref,fidelity other
strata watch run-of-mine --run third --once --profile inshrinkerator --evaluator false -q; echo "exit $?"
echo "- refused"
strata snapshot run $MODELS/run/checkpoint-10 --evaluator "python3 score.py"; echo "exit $?"
strata snapshot run $MODELS/run/checkpoint-10 --evaluator-timeout 5m; echo "exit $?"
strata verify --full -q >/dev/null && echo sound
