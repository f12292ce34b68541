# What gc would do is what it does, to the byte.
strata init -q >/dev/null && strata import $EXAMPLES/base.safetensors --name zero -q >/dev/null
strata import $MODELS/base.safetensors --name small -q >/dev/null
strata add run $EXAMPLES/shifted-1.safetensors --base zero -q >/dev/null
strata add run $EXAMPLES/shifted-2.safetensors --base run:v1 --chain -q >/dev/null
strata add run $EXAMPLES/shifted-3.safetensors --base run:v2 --chain -q >/dev/null
strata add side $EXAMPLES/noisy-lora.safetensors --base run:v1 --chain -q >/dev/null
strata add one $MODELS/tuned.safetensors --base small -q >/dev/null
strata add two $MODELS/tuned2.safetensors --base small -q >/dev/null
strata remove run:v1 run:v2 small --now --yes -q >/dev/null
strata remove side -q >/dev/null
# An object that nothing needs, as an interrupted add leaves it.
litter() {
  echo "$1" > object; hash=$(sha256sum < object | cut -d' ' -f1)
  mkdir -p .strata/objects/${hash::2}; cp object .strata/objects/${hash::2}/${hash:2}
}
for options in "--recode" "--unnamed" ""; do
  litter "$options"
  strata gc $options --json --progress never > would
  strata gc $options --yes --json --progress never > did
  python3 - <<'P'
import json
would, did = (json.load(open(name)) for name in ("would", "did"))
print("differ:", [key for key in would if would[key] != did[key]],
      "recoded:", len(did["recoded"]), "freed:", len(did["objects"]) > 0)
P
done
litter last; strata gc --unnamed 2>/dev/null | tail -1
strata verify --rebuild -q; echo "exit $?"
