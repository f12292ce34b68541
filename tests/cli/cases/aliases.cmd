strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata mv base first -n | head -1
strata rm first -n | head -1
strata help mv | head -1
strata help tag list | head -1
strata -C x help tag list | head -1
strata --json help du | head -1
