strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata add sst2 $MODELS/tuned.safetensors -q >/dev/null
strata restore sst2 -o - | cmp - $MODELS/tuned.safetensors
strata restore sst2 -o - --json; echo "exit $?"
strata restore sst2 -o - > /dev/full; echo "exit $?"
