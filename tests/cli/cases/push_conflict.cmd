for s in ours theirs; do
  strata -C $s init -q >/dev/null && strata -C $s import $MODELS/base.safetensors --name base -q >/dev/null
done
strata -C ours add sst2 $MODELS/tuned.safetensors --base base -q >/dev/null
strata -C theirs import $MODELS/tuned.onnx --name sst2 -q >/dev/null
strata -C ours push file://$PWD/stick -q
strata -C theirs push sst2 file://$PWD/stick; echo $?
strata -C theirs push file://$PWD/stick; echo $?
strata -C theirs push sst2 file://$PWD/stick --renumber
strata -C ours pull file://$PWD/stick
