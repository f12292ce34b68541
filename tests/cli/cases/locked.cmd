strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
python3 $TOOLS/hold_lock.py .strata strata add --wait 0 sst2 $MODELS/tuned.safetensors; echo "exit $?"
strata list -q
