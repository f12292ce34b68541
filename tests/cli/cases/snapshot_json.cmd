strata init -q >/dev/null
strata snapshot run $MODELS/run/checkpoint-5 --json --progress never
