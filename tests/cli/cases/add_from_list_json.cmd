strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata push ../shared -q >/dev/null 2>&1
printf 'a\t%s/tuned.safetensors\tbase\nb\tnowhere\n' $MODELS > list
strata add --from list --push ../shared --json
