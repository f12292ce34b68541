strata init -q >/dev/null
models=$EXAMPLES/../tests/data/pytorch
echo "- a checkpoint, and the next one of another PyTorch"
strata add run $models/1.13/run.ckpt --base none -q >/dev/null
strata show run --tensors | grep -e '^optimizer_states.0.state.0' -e '^state_dict.0'
strata show run | grep run.ckpt
strata add run $models/2.15/run.ckpt -q >/dev/null
strata restore run:v2 -o again.ckpt -q >/dev/null && cmp again.ckpt $models/2.15/run.ckpt && echo same
echo "- what is not understood is kept, and that is said"
strata add old $models/1.13/old.pt -q 2>&1 >/dev/null
strata show old | grep 'stored as bytes'
strata restore old -o old.pt -q >/dev/null && cmp old.pt $models/1.13/old.pt && echo same
strata add arrays $models/2.15/compressed.npz -q 2>&1 >/dev/null
echo "- torch.distributed.checkpoint"
strata add sharded $models/2.15/dcp --base none -q >/dev/null
strata show sharded --tensors | grep -e ' *model.0.weight' -e 'optim.state.0.exp_avg'
strata restore sharded -o dcp -q >/dev/null && diff -r dcp $models/2.15/dcp && echo same
