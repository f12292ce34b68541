strata -C ours init -q >/dev/null && strata -C ours import $MODELS/base.safetensors --name base -q >/dev/null
strata -C ours add sst2 $MODELS/tuned.safetensors --base base -q >/dev/null
strata -C ours bundle create all.tar -q
pack=$(ls -S ours/.strata/objects/*/* ours/objects/*/* 2>/dev/null | head -1)
chmod u+w $pack && printf x | dd of=$pack bs=1 seek=200 conv=notrunc 2>/dev/null
strata -C ours verify -q >/dev/null; echo damaged $?
head -c 9000 all.tar > cut.tar
strata -C ours verify --repair --from cut.tar -q; echo cut $?
strata -C ours verify --repair --from none.tar -q; echo none $?
strata -C ours verify --repair --from all.tar --progress never; echo mended $?
strata -C ours restore sst2 -o back.safetensors -q && cmp back.safetensors $MODELS/tuned.safetensors && echo same
