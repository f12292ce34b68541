strata init -q >/dev/null
strata snapshot run $MODELS/run/checkpoint-5 -q >/dev/null
strata restore run --weights-only -o weights && ls weights
strata restore run --weights-only -n -o other
echo "- over what is there"
strata restore run --weights-only -o weights; echo "exit $?"
strata restore run --weights-only -o weights --backup -q && ls weights
echo "- one file of a folder is in a folder, too"
mkdir one && cp $MODELS/run/checkpoint-5/{model.safetensors,optimizer.pt} one/ && strata add one one -q >/dev/null
strata restore one --weights-only -o single && ls single
echo "- weights beside the optimizer in one file cannot be parted"
strata add both $EXAMPLES/../tests/data/pytorch/1.13/step-3.ckpt -q >/dev/null
strata restore both --weights-only -o both.ckpt; echo "exit $?"
strata restore both --weights-only --format safetensors -o both.safetensors
echo "- what has nothing else is refused, and so is a stream"
strata add state one/optimizer.pt -q >/dev/null
strata restore state --weights-only -o none; echo "exit $?"
strata restore run --weights-only -o -; echo "exit $?"
strata restore run --weights-only --tensor 'a*' -o -; echo "exit $?"
ls
