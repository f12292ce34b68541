strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata add sst2 $MODELS/tuned.safetensors --base base --tag prod -q >/dev/null
strata add sst2 $MODELS/tuned2.safetensors --base base -q >/dev/null
strata remote add stick file://$PWD/stick >/dev/null && strata push -q >/dev/null
strata remove sst2:v2 -q >/dev/null
strata rename sst2 base; echo "exit $?"
strata rename sst2:v1 tone; echo "exit $?"
strata rename none tone; echo "exit $?"
strata rename sst2 tone -n
strata rename sst2 tone
strata show tone:prod -q && strata list --versions -q
strata remote list
strata push -n; strata pull -n
strata trash restore tone:v2
strata rename base encoder -q && strata restore tone:v1 -o back.safetensors -q && cmp back.safetensors $MODELS/tuned.safetensors && echo same
strata rename tone sst2 && strata add tone $MODELS/tuned.safetensors -q && strata list --versions -q
strata remove tone -q > /dev/null; strata rename sst2 tone; strata remove encoder --now -y -q > /dev/null; strata rename sst2 encoder; echo "exit $?"
echo "# removed, and on the remote under both names: it comes back once"
mkdir two && cd two && strata init -q >/dev/null && strata import $MODELS/base.safetensors --name t --tag best -q >/dev/null
strata add t $MODELS/tuned.safetensors --tag prod -q >/dev/null
strata remote add stick file://$(dirname $PWD)/second >/dev/null && strata push -q >/dev/null
strata rename t u -q && strata push -q >/dev/null; strata pull; strata remote list | tail -1 | awk '{ print $6 }'
strata remove u:v2 -q >/dev/null; strata remote list | tail -1 | awk '{ print $6 }'
strata pull; echo "exit $?"; strata remote list | tail -1 | awk '{ print $6 }'
