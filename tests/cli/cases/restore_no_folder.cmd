strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata restore base -o nowhere/out.safetensors; echo "exit $?"
strata restore base -o /dev/null/x; echo "exit $?"
strata restore base -o /proc/x; echo "exit $?"
