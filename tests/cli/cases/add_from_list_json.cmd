strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
printf 'a\t%s/tuned.safetensors\tbase\nb\tnowhere\n' $MODELS > list
strata add --from list --push ../shared --json
