# A model file that is broken is no damage of the store: exit 1.
strata init -q >/dev/null
head -c 3000 $MODELS/base.safetensors > cut.safetensors; : > empty.safetensors
printf '\20\0\0\0\0\0\0\0{"a":{"dtype":xxxxxx' > json.safetensors
for file in cut empty json; do strata import $file.safetensors --name base; echo "exit $?"; done
echo "# an index that names what its shard lacks"
mkdir set; cp $MODELS/base.safetensors set/one.safetensors
echo '{"weight_map":{"no.such.weight":"one.safetensors"}}' > set/model.safetensors.index.json
strata import set --name set; echo "exit $?"
strata import set/model.safetensors.index.json --name set; echo "exit $?"
