strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata add sst2 $MODELS/renamed.safetensors -q >/dev/null
strata diff sst2 --tensors
strata diff sst2 $MODELS/tuned.onnx --tensors
strata diff $MODELS/tuned.onnx sst2 --output change.csv -q; cut -d, -f15 change.csv
