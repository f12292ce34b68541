strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata history --json
strata undo --json
strata redo --json
