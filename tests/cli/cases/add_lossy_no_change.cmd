strata init -q >/dev/null && strata import $EXAMPLES/base.safetensors --name base -q >/dev/null
strata add fit $EXAMPLES/rotated.safetensors --base base --max-size 1200B --trials 3 2>&1 | grep -E "^  tensors|nothing" ; echo "exit ${PIPESTATUS[0]}"
strata show fit | grep -E "^  (tensors|change|error)"
strata tune $EXAMPLES/rotated.safetensors --base base --max-size 1200B --trials 3 2>/dev/null | grep "trial"
strata diff fit base --exit-code >/dev/null; echo "diff: exit $?"
strata verify --rebuild -q && echo sound
strata tune $EXAMPLES/rotated.safetensors --base base --search guided --max-size 20kB --trials 5 --json 2>/dev/null | python3 -c "
import json, sys
trials = [json.loads(line) for line in sys.stdin]
print('errors differ', len({t['relative_error'] for t in trials if t['type'] == 'trial'}) == 5)"
strata add none $EXAMPLES/rotated.safetensors --base none --max-size 1200B 2>&1 | grep Error; echo "exit ${PIPESTATUS[0]}"
