strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata import $MODELS/other.safetensors --name base; echo "exit $?"
strata import $MODELS/base.safetensors --name base; echo "exit $?"
strata add sst2 $MODELS/tuned.safetensors --base base -q >/dev/null
strata import $MODELS/tuned.safetensors --name whole -q >/dev/null
strata list --versions --columns ref,parent
