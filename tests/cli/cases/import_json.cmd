strata init -q >/dev/null
strata import $MODELS/base.safetensors --name base --json
