# What fails leaves no folder behind, unless it was there before.
strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
pack=$(strata show base --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["packs"][0])')
file=$(find . -type f -path "*/${pack:0:2}/${pack:2}"); chmod u+w $file
size=$(stat -c %s $file); printf '\x01' | dd of=$file bs=1 seek=$((size / 2)) conv=notrunc status=none
mkdir here
for folder in new/deep here; do
  strata restore base --tensor '*' --format npy -o $folder -q 2>/dev/null; echo "exit $?"
done
find new here -type d 2>/dev/null; find . -name '.strata-file*'
