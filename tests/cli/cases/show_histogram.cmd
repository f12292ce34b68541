strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata add sst2 $MODELS/tuned.safetensors -q >/dev/null
strata show sst2 --histogram layer.0.bias | grep -c '#'
strata show sst2 --histogram layer.0.bias | grep -v '#'
strata show base --histogram embed.weight | grep -v '#'
strata show sst2 --histogram nothing; echo "exit $?"
