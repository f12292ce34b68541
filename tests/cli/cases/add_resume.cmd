strata init -q >/dev/null
run=$EXAMPLES/../tests/data/pytorch/1.13
strata add run $run/step-3.ckpt --base none -q >/dev/null
echo "- weights exact, moments quantized"
strata add run $run/step-4.ckpt --base run:v1 --profile resume | sed 's/  Stored.*//; s/compared, .*/compared/'
strata show run:v2 | grep -E 'error|profile'
strata show run:v2 --json | python3 -c '
import json, sys
shown = json.load(sys.stdin)
print([(e["role"], 0 < e["relative_error"] < 0.6, e["exact"]) for e in shown["role_errors"]])'
strata restore run:v2 -o again.ckpt -q >/dev/null
echo "- a rule of one's own"
printf 'mode = "quality"\n[quantize]\ncodec = "integer"\n[[rule]]\nkind = "second moment"\ncodec = "moments"\nbits = 8\n' > mine.toml
strata add mine $run/step-4.ckpt --base run:v1 --profile mine.toml --json | tail -n 1 | python3 -c '
import json, sys
print([(e["role"], e["relative_error"] < 0.05) for e in json.load(sys.stdin)["role_errors"]])'
echo "- refused"
printf 'mode = "quality"\n[quantize]\ncodec = "moments"\n' > bad.toml
strata add run $run/step-4.ckpt --profile bad.toml; echo $?
strata verify --full -q >/dev/null && echo sound
