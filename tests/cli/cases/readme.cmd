# README's "30 seconds" and the Python of docs/CLI.md run as they stand, with other models and places.
cp $EXAMPLES/base.safetensors minilm.safetensors; cp $EXAMPLES/rotated.safetensors sst2-tuned.safetensors
cp $EXAMPLES/rotated.onnx sst2-tuned-more.onnx; cp $EXAMPLES/noisy-lora.safetensors tuned.safetensors
mkdir -p out/checkpoint-10; cp $EXAMPLES/shifted-1.safetensors out/checkpoint-10/model.safetensors
echo '{"global_step": 10}' > out/checkpoint-10/trainer_state.json
python3 -c "import zipfile
for name in ('optimizer.pt', 'scheduler.pt', 'rng_state.pth'):
    zipfile.ZipFile('out/checkpoint-10/' + name, 'w').writestr('archive/data.pkl', b'\x80\x02}.')"
sed -n '/^## 30 seconds/,/^## Try it/s/^\$ \(strata .*\)/\1/p' $EXAMPLES/../README.md |
  sed "s#hf://acme/models#file://$PWD/share#; s/^strata watch/& --once/" | grep -v 'strata tune\|--profile mine' > lines
wc -l < lines
while read -r line; do
  eval "$line" >said 2>err; code=$?; echo "$code  ${line%%  *}"; [ $code = 0 ] || cat err
done < lines
cmp sst2.safetensors sst2-tuned.safetensors && echo same
sed -n '/^```python/,/^```$/p' $EXAMPLES/../docs/CLI.md | grep -v '```' > list.py
python3 list.py | awk '{ print $1, NF }'
