strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata restore base --tensor 'layer.0.*' --format npy -o tensors
strata restore base --tensor head.weight -o head.npy -q
ls tensors; head -c 6 head.npy | tail -c 5; echo
strata restore base --tensor 'nothing*' -o t; echo "exit $?"
strata restore base --format npy -o t; echo "exit $?"
