strata init -q >/dev/null
snapshot=hub/models--org--tiny/snapshots/0123abcd
mkdir -p $snapshot hub/models--org--tiny/blobs
cp $MODELS/base.safetensors hub/models--org--tiny/blobs/aa; echo '{}' > hub/models--org--tiny/blobs/bb
ln -s ../../blobs/aa $snapshot/model.safetensors; ln -s ../../blobs/bb $snapshot/config.json
strata import $snapshot --name tiny
strata restore tiny -o back -q; ls back; cmp back/model.safetensors $MODELS/base.safetensors && echo same
strata import hub/models--org--tiny --name cache; echo "exit $?"
mkdir farm; ln -s $MODELS/tuned.safetensors farm/model.safetensors
strata add tuned farm; echo "exit $?"
strata add tuned farm --follow-links -q
