/usr/bin/env python3 -c "import numpy" 2>/dev/null || PATH=/usr/bin:$PATH
python3 -c "import numpy" 2>/dev/null || { echo "no numpy for the evaluator of the examples"; exit 77; }
strata init -q >/dev/null && strata import $EXAMPLES/base.safetensors --name base -q >/dev/null
tuned() { strata tune $EXAMPLES/rotated.safetensors --base base --target quality_loss=50 --evaluator "python3 $EXAMPLES/digits_eval.py rotated --part choice" --json "$@" 2>/dev/null | grep -c '"type":"trial"'; }
tuned --search fixed
tuned --search fixed --trials 5 --save once && tuned --profile once --trials 5
tuned --profile once --search fixed
strata tune $EXAMPLES/rotated.safetensors --base base --search none; echo "exit $?"
