strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
mkdir -p runs/checkpoint-500 runs/checkpoint-1000 runs/checkpoint-90
cp $MODELS/tuned.safetensors runs/checkpoint-500/model.safetensors
cp $MODELS/tuned2.safetensors runs/checkpoint-1000/model.safetensors
cp $MODELS/wide.safetensors runs/checkpoint-90/model.safetensors
strata add run runs/checkpoint-* --tag last -q | wc -l
for k in 1 2 3; do strata restore run:v$k -o back$k -q >/dev/null; done
cmp back1/model.safetensors $MODELS/wide.safetensors && cmp back2/model.safetensors $MODELS/tuned.safetensors && cmp back3/model.safetensors $MODELS/tuned2.safetensors && echo in order
strata tag list
strata add bad $MODELS/tuned.safetensors $MODELS/bad/text.onnx; echo "exit $?"
strata add $MODELS/tuned.safetensors $MODELS/tuned2.safetensors; echo "exit $?"
cp $MODELS/tuned.safetensors org.safetensors; strata add org.safetensors | head -1
cd runs && strata add checkpoint-500 | head -1
strata list -q
cd .. && cp $MODELS/tuned.safetensors warmup.safetensors && cp $MODELS/tuned2.safetensors main.safetensors
strata add two warmup.safetensors main.safetensors
