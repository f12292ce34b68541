strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata push ../shared -q >/dev/null 2>&1
printf 'a\t%s/tuned.safetensors\tbase\nb\t%s/tuned2.safetensors\tbase\nc\t%s/bad/text.onnx\nd\t%s/wide.safetensors\n' $MODELS $MODELS $MODELS $MODELS > list
strata -C worker init -q >/dev/null
quietly() { strata --progress never "$@"; }
quietly -C worker add --from list --shard 1/2 --push ../shared > out; echo "exit $?"; grep -v Pushed out
quietly -C worker add --from list --shard 0/2 --push ../shared >/dev/null; echo "exit $?"
sed -i 3d list
cat list | quietly -C worker add --from - --push ../shared; echo "exit $?"
strata -C worker list --versions -q | sort
strata add --from list -m note --tag first -q; echo "exit $?"
strata add --from list -q; echo "exit $?"
strata tag list
printf 'x\tnowhere.onnx\n' | strata add --from -; echo "exit $?"
for bad in 'a' 'a\tf\na\tg' '' 'a b\tf' '\tf' 'a\ts3://b/m.onnx'; do printf "$bad\n" > bad; strata add --from bad; echo "exit $?"; done
: > bad; strata add --from bad; echo "exit $?"
for shard in 2/2 0/0 1 x/2; do strata add --from list --shard $shard; echo "exit $?"; done
strata add sst2 --from list; echo "exit $?"
strata add --from list --evaluator true --profile safe; echo "exit $?"
strata add --from list -n; echo "exit $?"
strata add sst2 $MODELS/tuned.safetensors --shard 0/2; echo "exit $?"
strata add --from nowhere; echo "exit $?"
strata add --from list --push ../nobody/there; echo "exit $?"
