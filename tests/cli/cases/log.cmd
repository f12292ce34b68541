strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata add sst2 $MODELS/tuned.safetensors -q >/dev/null
strata add sst2 $MODELS/tuned2.safetensors -q -m 'second try' --tag prod >/dev/null
strata log sst2
strata log sst2 --oneline --limit 1
strata log -q | sort
strata log --since 2999-01-01
strata log nobody
