strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata note base "passed review" --json
