/usr/bin/env python3 -c "import numpy" 2>/dev/null || PATH=/usr/bin:$PATH
python3 -c "import numpy" 2>/dev/null || { echo "no numpy for the evaluator of the examples"; exit 77; }
strata init -q >/dev/null && strata import $EXAMPLES/base.safetensors --name base -q >/dev/null
tuned() { strata tune $EXAMPLES/rotated.safetensors --base base --evaluator "python3 $EXAMPLES/digits_eval.py rotated --part choice" --save p "$@" 2>&1 | grep -oE "Error: .*|Trial|^ +[0-9]+  as|it takes.*|Saved"; echo "$*: exit ${PIPESTATUS[0]}"; }
tuned --target quality_loss=0.5
tuned --target quality_loss=0.5 --search fixed --step 0.4
tuned --target quality_loss=0
strata profile list -q
strata add w $EXAMPLES/rotated.safetensors --base base --target quality_loss=0.5 --evaluator "python3 $EXAMPLES/digits_eval.py rotated --part choice" --trials 1 --allow-miss -q >/dev/null 2>&1; echo "allowed: exit $?"
