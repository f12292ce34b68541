strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata profile save quick --effort fast -q >/dev/null
strata add sst2 $MODELS/tuned.safetensors --profile quick -q >/dev/null
strata list --columns name,profile,effort 's*'
strata config set profile balanced -q >/dev/null
strata add b $MODELS/wide.safetensors; echo "exit $?"
strata add b $MODELS/wide.safetensors --exact -q | wc -c
