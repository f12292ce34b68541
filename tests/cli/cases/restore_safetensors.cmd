strata init -q >/dev/null
torch=$EXAMPLES/../tests/data/pytorch
strata add views $torch/2.15/views.pt -q >/dev/null
strata restore views --format safetensors -o views.safetensors; echo "exit $?"
strata add copy views.safetensors -q >/dev/null && strata show copy --tensors | grep -E 'turned|columns'
echo "- what exists stays, unless it is said"
strata restore views --format safetensors -o views.safetensors; echo "exit $?"
strata restore views --format safetensors -o views.safetensors --force -q
echo "- the weights of a checkpoint, and some tensors alone"
strata snapshot run $torch/1.13/step-3.ckpt -q >/dev/null
strata restore run --format safetensors --weights-only -o weights.safetensors
strata restore run --format safetensors --tensor '*.bias' -o bias.safetensors
strata restore run --format safetensors --tensor nothing -o none.safetensors; echo "exit $?"
echo "- what it cannot be"
strata add numbers $torch/2.15/compressed.npz -q >/dev/null
strata restore numbers --format safetensors -o numbers.safetensors; echo "exit $?"
strata restore views --format safetensors -o -; echo "exit $?"
strata restore views --format safetensors -o x.safetensors -n; echo "exit $?"
strata restore views --format npy -o x.npy; echo "exit $?"
ls
