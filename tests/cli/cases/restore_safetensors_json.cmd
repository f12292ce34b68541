strata init -q >/dev/null
strata add views $EXAMPLES/../tests/data/pytorch/2.15/views.pt -q >/dev/null
strata restore views --format safetensors -o views.safetensors --json --progress never
