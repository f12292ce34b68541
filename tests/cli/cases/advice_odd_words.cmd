# What is advised works as it stands for names with spaces, slashes, dashes and quotes, and with -C.
S="-my shelf's"
strata init -q -- "$S"; strata init -- other -q
follow() {
  strata "$@" 2>err >/dev/null </dev/null; cat err >&2
  fix=$(sed -n 's/^  Fix: //p; s/^Next: //p' err | sed 's/  |.*//' | head -1); echo "following: $fix"
  eval "$fix" 2>&1 >/dev/null; echo "exit $?"
}
mkdir 'a b'; cp $MODELS/base.safetensors ./-base.safetensors; cp $MODELS/tuned.safetensors 'a b/tuned 2.safetensors'
follow -C "./$S" add -- -base.safetensors
follow -C "./$S" add -- -base.safetensors 'a b/tuned 2.safetensors'
strata -C "./$S" list -q --versions
strata -C "./$S" import ./-base.safetensors --name org/model -q >/dev/null
follow -C "./$S" import 'a b/tuned 2.safetensors' --name org/model
follow -C "./$S" add org/model $MODELS/tuned2.safetensors
strata -C "./$S" tag org/model:v1 prod -q
follow -C "./$S" tag org/model:v2 prod --note "it's good"; strata -C "./$S" tag list org/model
touch ./-out; follow -C "./$S" restore org/model --output=-out; ls ./-out*
follow -C "./$S" restore org/model --output='-new folder/x'
follow -C "./$S" cat org/model 'no such tensor'
follow -C "./$S" diff 'a b/tuned 2.safetensors' 2>&1 | sed 's/ REF//' | head -3
strata -C "./$S" remove --all org/model -q
follow -C "./$S" show org/model:v2
mkdir full; touch full/x
follow init full
follow -C "./$S" clone ./nowhere '-their copy'
strata -C "./$S" push org/model "$PWD/my share" -q; follow clone "$PWD/my share" "./$S"
# Damage, where a remote has what is missing.
strata -C "./$S" push NAME "$PWD/my share" -q; strata -C "./$S" remote add nas "$PWD/my share" -q
pack=$(strata -C "./$S" show NAME --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["packs"][0])')
rm -f "./$S/objects/${pack::2}/${pack:2}"
strata -C "./$S" verify --progress never >/dev/null 2>err; cat err >&2
fix=$(sed -n 's/^Fix: \(.*\), if.*/\1/p' err); echo "following: $fix"; eval "$fix --progress never" 2>&1
