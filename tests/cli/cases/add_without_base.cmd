strata init -q >/dev/null
strata add first $MODELS/base.safetensors --base none
strata list
