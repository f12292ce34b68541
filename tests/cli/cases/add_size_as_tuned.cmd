/usr/bin/env python3 -c "import numpy" 2>/dev/null || PATH=/usr/bin:$PATH
python3 -c "import numpy" 2>/dev/null || { echo "no numpy for the evaluator of the examples"; exit 77; }
scored() { echo "python3 $EXAMPLES/digits_eval.py rotated --part $1"; }
strata init -q >/dev/null && strata import $EXAMPLES/base.safetensors --name base -q >/dev/null
strata tune $EXAMPLES/rotated.safetensors --base base --max-size 5000B --trials 6 --save mine --evaluator "$(scored choice)" --evaluator-test "$(scored test)" -q >/dev/null; echo "tune: exit $?"
strata add tuned $EXAMPLES/rotated.safetensors --base base --profile mine -q 2>/dev/null >/dev/null; echo "add: exit $?"
strata add direct $EXAMPLES/rotated.safetensors --base base --max-size 5000B --trials 6 --evaluator "$(scored choice)" -q 2>/dev/null >/dev/null; echo "add: exit $?"
strata list --json | python3 -c "import json, sys; print(*[v['name'] + (' fits' if 4800 < v['stored_bytes'] <= 5000 else f' takes {v[\"stored_bytes\"]}') for v in json.load(sys.stdin)['versions'] if v['lossy']], sep='\n')"
strata show tuned --raw | grep -c 'data: "'
