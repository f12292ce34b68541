strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata add sst2 $MODELS/tuned.safetensors --base base -m 'lr 2e-5, 3 epochs' --tag prod
