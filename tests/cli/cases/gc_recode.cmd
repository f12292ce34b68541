strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata add one $MODELS/tuned.safetensors --base base -q >/dev/null
strata add two $MODELS/tuned2.safetensors --base base -q >/dev/null
strata remove base --now --yes -q >/dev/null
strata gc
strata gc --recode
strata list --columns ref,parent
strata gc --recode --yes
strata gc --recode
strata list --columns ref,parent
strata history --limit 2
strata restore two -o back.safetensors -q && cmp back.safetensors $MODELS/tuned2.safetensors && echo same
strata verify -q --rebuild
strata undo 6; echo "exit $?"
