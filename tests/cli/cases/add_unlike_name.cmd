# A model that nothing is like becomes a base of its own, also under a name that has versions.
strata init -q >/dev/null && strata import $MODELS/base.safetensors --name net -q >/dev/null
strata add net $MODELS/other.safetensors -n | tail -2
strata add net $MODELS/other.safetensors; strata list --versions
strata add net $MODELS/other.safetensors -q >/dev/null; strata list --versions -q
strata add net $MODELS/tuned.safetensors --json --progress never | python3 -c '
import json, sys
report = json.loads(sys.stdin.read().splitlines()[-1])
print(report["version"]["base"], report["unlike_base"])'
echo "# the first base can go"
strata remove net:v3 --now --yes -q >/dev/null && strata remove net:v1 --now --yes -q >/dev/null
strata restore net:v2 -o back.safetensors -q >/dev/null && cmp back.safetensors $MODELS/other.safetensors && echo same
strata verify --full -q && echo sound
echo "# who asks for a base or a chain gets it"
mkdir two && cd two && strata init -q >/dev/null
strata import $MODELS/base.safetensors --name base -q >/dev/null
strata add forced $MODELS/wide.safetensors -q >/dev/null
strata add forced $MODELS/other.safetensors --chain -q >/dev/null; strata show forced:v2 | grep base
