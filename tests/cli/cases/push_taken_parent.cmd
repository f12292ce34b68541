# A version whose parent's number others took does not go without it.
strata -C ours init -q >/dev/null && strata -C ours import $MODELS/other.safetensors --name base -q >/dev/null
strata -C ours push file://$PWD/stick -q >/dev/null
strata -C mine init -q >/dev/null && strata -C mine import $MODELS/base.safetensors --name base -q >/dev/null
strata -C mine add base $MODELS/tuned.safetensors --tag prod -q >/dev/null
strata -C mine add sst2 $MODELS/tuned2.safetensors --base base:v1 -q >/dev/null
strata -C mine remote add hub file://$PWD/stick >/dev/null
strata -C mine push; echo "exit $?"
strata -C mine push sst2; echo "exit $?"
strata -C ours remote verify file://$PWD/stick -q; echo "exit $?"
strata -C mine push --renumber
strata clone ./stick all -q >/dev/null; strata -C all list --versions --columns ref,parent | cat
strata -C all restore base:prod -o back -q >/dev/null && cmp back $MODELS/tuned.safetensors && echo same
