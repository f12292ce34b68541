strata init -q >/dev/null
strata import $MODELS/base.safetensors
