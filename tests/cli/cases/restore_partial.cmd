strata init -q >/dev/null
strata snapshot run $MODELS/run/checkpoint-10 -q >/dev/null 2>&1
cp -r $MODELS/run/checkpoint-10 now
cp $MODELS/run/checkpoint-20/model.safetensors now/model.safetensors
strata restore run -o before -q
echo "- one tensor"
strata restore run --partial 'head.*' -o now/model.safetensors -n; echo "exit $?"
strata restore run --partial 'head.*' -o now/model.safetensors; echo "exit $?"
strata diff now/model.safetensors before/model.safetensors --tensors | grep -c head
echo "- all of them: the file is the former one"
strata restore run --partial '*' -o now/model.safetensors -q; echo "exit $?"
cmp now/model.safetensors before/model.safetensors && echo same
echo "- an archive keeps its checksums"
cp $MODELS/run/checkpoint-20/optimizer.pt now/optimizer.pt
strata restore run --partial '*' -o now/optimizer.pt -q; echo "exit $?"
python3 -c "import zipfile; print(zipfile.ZipFile('now/optimizer.pt').testzip())"
cmp now/optimizer.pt before/optimizer.pt && echo same
echo "- what does not fit"
strata restore run --partial 'nothing*' -o now/model.safetensors; echo "exit $?"
strata restore run --partial '*' -o absent.safetensors; echo "exit $?"
strata restore run --partial '*' -o now; echo "exit $?"
strata restore run --partial '*' -o now/config.json; echo "exit $?"
cp $MODELS/wide.safetensors wide.safetensors
strata restore run --partial '*' -o wide.safetensors; echo "exit $?"
cmp $MODELS/wide.safetensors wide.safetensors && echo same
strata restore run --partial '*' --tensor a -o now/model.safetensors; echo "exit $?"
ls -A now
echo "- a tensor that lies in another order"
for turned in False True; do
  python3 -c "
import struct, zipfile
head = \"{'descr': '<f4', 'fortran_order': $turned, 'shape': (3, 3), }\".ljust(117) + '\n'
body = b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head.encode() + struct.pack('<9f', *range(9))
zipfile.ZipFile('$turned.npz', 'w').writestr('w.npy', body)"
done
strata add turned True.npz -q >/dev/null
cp False.npz kept.npz
strata restore turned --partial w -o False.npz; echo "exit $?"
cmp False.npz kept.npz && echo same
echo "- permissions stay, whatever the umask"
for mode in 644 664 640 600 444; do
  cp $MODELS/run/checkpoint-20/model.safetensors kept.safetensors; chmod $mode kept.safetensors
  (umask 077; strata restore run --partial 'head.*' -o kept.safetensors -q)
  stat -c %a kept.safetensors; rm -f kept.safetensors
done
