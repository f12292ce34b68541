# Old versions of a chain go, and what stands on them restores.
strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata add run $MODELS/tuned.safetensors -q >/dev/null
strata add run $MODELS/tuned2.safetensors --chain -q >/dev/null
strata remove base run:v1 -n
strata remove base run:v1
strata list --versions --columns ref,parent,base
strata trash empty -y
strata restore run -o out.safetensors -q && cmp out.safetensors $MODELS/tuned2.safetensors
strata list --tree | cut -d' ' -f1-4
strata show run --json | grep -o '"parent": *"[^"]*"'
strata trash list; strata trash restore run:v1; echo "exit $?"
strata show run:v1; echo "exit $?"
strata verify | tail -1; strata gc | head -1
strata remove 'run*' --now -y; strata info --json | grep -o '"objects": *[0-9]*' | head -1
