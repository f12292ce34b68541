strata init -q >/dev/null
strata snapshot run $MODELS/run/checkpoint-5 -q >/dev/null
strata run list --json
