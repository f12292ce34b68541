strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata add sst2 $MODELS/tuned.safetensors -q >/dev/null
strata remove sst2 --now; echo "exit $?"
strata remove sst2 --now --yes
strata list -q; strata trash list
