strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata import $MODELS/other.safetensors --name other -q >/dev/null
strata add sst2 $MODELS/tuned.safetensors --base other --tag prod -m "first try"
strata add sst2 $MODELS/tuned.safetensors --base base --effort best
strata recode sst2:prod --base base -n
strata recode sst2:prod --base base
strata recode sst2 --base base
strata recode sst2 --base other; echo "exit $?"
strata recode base --base sst2; echo "exit $?"
strata recode sst2 --base nosuch; echo "exit $?"
strata recode sst2 --base base --flatten; echo "exit $?"
strata recode sst2 -m note; echo "exit $?"
strata recode sst2 --profile small --tag little -m "smaller"
strata recode base --profile small; echo "exit $?"
strata recode sst2:little --profile small 2>&1 | grep "adds up"
strata recode sst2:v1 --flatten
strata list --versions --columns ref,parent,tags,note
strata restore sst2:prod -o back.safetensors -q && cmp back.safetensors $MODELS/tuned.safetensors && echo same
strata verify -q --rebuild
