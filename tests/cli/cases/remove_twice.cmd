strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata add sst2 $MODELS/tuned.safetensors -q >/dev/null && strata add ner $MODELS/tuned2.safetensors --base base -q >/dev/null
strata remove sst2 | grep Emptying
strata remove ner > said; grep Emptying said
frees=$(sed -n 's/^Emptying the trash frees \([^,]*\).*/\1/p' said)
test "$frees" = "$(strata trash empty -y | sed -n 's/ freed$//p')" && echo "as it said"
