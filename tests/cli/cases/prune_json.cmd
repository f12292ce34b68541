strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata add run $MODELS/tuned.safetensors -q >/dev/null
strata add run $MODELS/tuned2.safetensors --chain -q >/dev/null
strata prune run --keep-last 1 --json
