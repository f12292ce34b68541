strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
python3 $TOOLS/hold_lock.py .strata strata add --wait 0 sst2 $MODELS/tuned.safetensors; echo "exit $?"
python3 $TOOLS/hold_lock.py .strata strata tag base prod --wait 1; echo "exit $?"
strata list -q
