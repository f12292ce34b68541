strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata list | head -1 | wc -l
strata show base > /dev/full; echo "exit $?"
