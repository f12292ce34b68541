strata init -q >/dev/null
strata import $MODELS/base.safetensors --name base --raw -q >/dev/null
strata restore base -o - | cmp - $MODELS/base.safetensors
