strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
echo "- a checkpoint, and the next one, which stands on it"
strata snapshot run $MODELS/run/checkpoint-5 --base base -m "first"
strata snapshot run $MODELS/run/checkpoint-10
echo "- the newest one again, and an older one"
strata snapshot run $MODELS/run/checkpoint-10
strata snapshot run $MODELS/run/checkpoint-5 -q
echo "- one that its trainer was killed over"
strata snapshot run $MODELS/run/checkpoint-20; echo "exit $?"
echo "- what is none, and is not there"
strata snapshot run $MODELS/run/checkpoint-11; echo "exit $?"
strata snapshot run; echo "exit $?"
strata list --versions run
