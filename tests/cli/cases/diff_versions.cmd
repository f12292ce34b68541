strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata add sst2 $MODELS/tuned.safetensors -q >/dev/null
strata add sst2 $MODELS/tuned2.safetensors -q >/dev/null
strata diff sst2:v1 sst2:v2
strata diff sst2:v1 sst2:v2 --tensors --threshold 1%
strata diff sst2 --tensor 'head*' --tensors
strata diff sst2:v1 sst2:v2 --exit-code -q; echo "exit $?"
strata diff sst2:v1 sst2:v1 --exit-code; echo "exit $?"
strata diff sst2:v1 sst2:v2 --tensor 'typo*'; echo "exit $?"
strata restore sst2 --tensor 'head*' --tensor typo --format npy -o npy; echo "exit $?"
