# A folder with one file comes back as a folder; a name like the file's means the file.
mkdir checkpoint && cp $MODELS/base.safetensors checkpoint/model.safetensors
strata init -q >/dev/null && strata import checkpoint --name base -q >/dev/null
strata restore base -o back
diff -r back checkpoint && echo same
strata restore base -o out.safetensors -q && cmp out.safetensors checkpoint/model.safetensors && echo a file
mkdir empty full && echo word > full/other
strata restore base -o empty -q && diff -r empty checkpoint && echo same
strata restore base -o full -q && ls full
strata restore base -o back -q; echo "exit $?"
strata restore base -o back --force -q && diff -r back checkpoint && echo same
strata restore base -o - | cmp - checkpoint/model.safetensors && echo a stream
