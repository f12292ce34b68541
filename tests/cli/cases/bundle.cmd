strata -C ours init -q >/dev/null && strata -C ours import $MODELS/base.safetensors --name base -q >/dev/null
strata -C ours add sst2 $MODELS/tuned.safetensors --base base --tag prod -q >/dev/null
strata -C ours bundle create all.tar sst2 --progress never
strata -C ours bundle create all.tar; echo $?
tar -tf all.tar | sed 's#objects/.*#objects/…#'
strata -C theirs init -q >/dev/null
strata -C theirs bundle import all.tar --progress never
strata -C theirs restore sst2:prod -o back.safetensors -q && cmp back.safetensors $MODELS/tuned.safetensors && echo same
mkdir unpacked && tar -xf all.tar -C unpacked
strata clone file://$PWD/unpacked third --progress never
head -c 20000 all.tar > cut.tar
strata -C theirs bundle import cut.tar 2>/dev/null; echo $?
strata -C theirs bundle import $MODELS/base.safetensors 2>/dev/null; echo $?
strata -C theirs bundle import none.tar 2>/dev/null; echo $?
