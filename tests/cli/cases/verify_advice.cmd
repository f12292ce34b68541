# What verify advises helps when it is followed, step by step.
fixes() { strata verify >out 2>err; code=$?; cat out; sed -n '/^Fix/,$p' err; echo "exit $code"; }
strata init -q >/dev/null && strata import $MODELS/base.safetensors --name zero -q >/dev/null
strata add run $MODELS/tuned.safetensors --base zero -q >/dev/null
cp -r .strata saved
echo "# packs of both are gone: the base first"
for ref in zero run; do
  pack=$(strata show $ref --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["packs"][0])')
  rm -f .strata/objects/${pack::2}/${pack:2}
done
fixes
strata add zero $MODELS/base.safetensors -q; strata add run $MODELS/tuned.safetensors -q; strata verify -q; echo "exit $?"
echo "# the folder of objects is gone"
rm -rf .strata; cp -r saved .strata; mv .strata/objects gone
fixes
strata restore run -o x 2>&1 | sed 's#/objects/.*#/objects/…#'
strata add zero $MODELS/base.safetensors -q; strata add run $MODELS/tuned.safetensors -q; strata verify -q; echo "exit $?"
echo "# a manifest and the catalog are gone"
rm -rf .strata; cp -r saved .strata
file=$(python3 -c 'import json; print(json.loads(open(".strata/refs/zero/v1.json").read())["ref"]["manifest"])')
rm -f .strata/objects/${file::2}/${file:2} .strata/catalog.sqlite*
strata verify --rebuild-catalog | sed 's#/objects/.*#/objects/…#'
fixes
strata gc 2>&1 | sed 's#does not exist.*repairs it#…#'
strata remove zero:v1; echo "exit $?"
strata remove zero:v1 --now --yes; echo "exit $?"
cp -r .strata lost
strata add zero $MODELS/base.safetensors -q; strata verify -q; echo "exit $?"
rm -rf .strata; mv lost .strata
strata remove --now --yes run:v1 zero:v1; strata verify; echo "exit $?"
