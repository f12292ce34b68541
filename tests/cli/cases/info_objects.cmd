strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata info --objects | tail -3 | awk '{print $2, $NF}'
