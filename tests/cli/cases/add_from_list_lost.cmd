# A model whose objects the remote lost is not "on the remote", whatever its list says.
printf 'n0\t%s/base.safetensors\nn1\t%s/tuned.safetensors\tn0\n' $MODELS $MODELS > list
for store in first second third; do strata -C $store init -q >/dev/null; done
sent() { strata -C $1 --progress never add --from list --push ../shared 2>/dev/null >out; echo "exit $?"; grep -c "on the remote" out; }
sent first
sent second
pack=$(strata -C first show n1 --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["packs"][0])')
rm -f $(find ../shared -type f -name "$pack")
sent second
strata -C third pull ../shared -q >/dev/null 2>&1; echo "exit $?"
strata -C third restore n1 -o back.safetensors -q && cmp back.safetensors $MODELS/tuned.safetensors && echo same
