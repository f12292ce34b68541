strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
python3 $TOOLS/hold_lock.py .strata strata add sst2 $MODELS/tuned.safetensors; echo "exit $?"
strata list -q
