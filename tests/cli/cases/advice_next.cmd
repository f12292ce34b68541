# What a command advises to do next works when it is copied, and means the store that was named.
S='the shelf'
# Runs the command that stands last in what was said.
next() {
  echo "\$ strata $*"; strata -C "$S" "$@" --progress never >out 2>err </dev/null
  command=$(cat out err | sed -n 's/.*\(strata -C .*\)$/\1/p' | tail -1 | sed 's/ frees them\.$//; s/ frees these.*//; s/  |.*//')
  echo "next: $command"; eval "$command" >out 2>&1 </dev/null; code=$?; head -4 out; echo "exit $code"
}
strata init -q "$S"; cp $MODELS/base.safetensors base.onnx
next list
strata -C "$S" add run $MODELS/tuned.safetensors --base base -q >/dev/null
next add run $MODELS/tuned.safetensors --base none
next add run $MODELS/tuned2.safetensors --chain
next remove run:v2
next prune run --keep-last 1
next undo
strata -C "$S" remote add nas "$PWD/nas share" -q; strata -C "$S" push nas -q >/dev/null
next rename run walk
echo litter > file; hash=$(sha256sum < file | cut -d' ' -f1); mkdir -p "$S/objects/${hash::2}"; cp file "$S/objects/${hash::2}/${hash:2}"
next gc
cp file "$S/objects/${hash::2}/${hash:2}"
next gc --unnamed
strata -C "$S" remove base --now -y -q >/dev/null
next gc
next tag list nothing
