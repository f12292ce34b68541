strata init -q >/dev/null
strata run list
for run in one two; do
  for step in 5 10; do strata snapshot $run $MODELS/run/checkpoint-$step -q >/dev/null; done
done
strata add model $MODELS/tuned.safetensors -q >/dev/null
strata run list
strata run list -q
echo "- the history of one"
strata log one
strata log two --oneline
strata log two:v1 --oneline
