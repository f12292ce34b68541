# What a message advises works when it is copied as it stands, and means the store that was named.
try() { echo "$ strata $*" >&2; strata "$@" </dev/null; echo "exit $?"; }
S='the shelf'
# Runs the line after "Fix:".
follow() {
  strata "$@" 2>err >/dev/null; cat err >&2
  fix=$(sed -n 's/^  Fix: //p' err); echo "following: $fix"
  eval "$fix" 2>&1; echo "exit $?"
}
follow -C "$S" list
strata -C "$S" import $MODELS/base.safetensors --name base -q >/dev/null
strata -C "$S" add sst2 $MODELS/tuned.safetensors --base base -q >/dev/null
strata -C "$S" add sst2 $MODELS/tuned2.safetensors --base sst2:v1 --chain -q >/dev/null
follow -C "$S" restore nix -o x
strata -C "$S" tag sst2:v1 prod -q
follow -C "$S" tag sst2:v2 prod
try -C "$S" tag sst2:v2 v1
strata -C "$S" restore base -o 'old file' -q
follow -C "$S" restore base -o 'old file'; ls
follow -C "$S" restore base -o 'new folder/x'; ls
# What is in the trash comes back alone: its parent serves from there.
strata -C "$S" remove --all sst2 base
follow -C "$S" restore sst2:v2 -o y
strata -C "$S" trash restore base 'sst2*' -q
# A folder with files in it is no store, but can hold one.
mkdir full; touch full/file
follow -C full list
try -C full list
rm -r full/.strata; follow init full
# Nothing that the trash could free: no advice. A parent folder elsewhere: none of this store's.
strata -C "$S" import $EXAMPLES/base.safetensors --name large -q >/dev/null
full() { (trap '' XFSZ; ulimit -f 200; try "$@" 2>&1 | sed 's/[.]strata-.*tmp/TEMPORARY/'); }
full -C "$S" restore large -o big
strata -C "$S" remove sst2:v2 -q
full -C "$S" restore large -o big
try -C "$S" restore base -o /dev/full
# What is wrong with a bundle is not wrong with the store.
strata -C "$S" bundle create b.tar base -q >/dev/null; head -c 3000 b.tar > cut.tar
try -C "$S" bundle import cut.tar
try -C "$S" bundle import none.tar
# Damage.
mv "$S/store.toml" t; echo 'format = 1' > "$S/store.toml"; try -C "$S" list; mv t "$S/store.toml"
mv "$S/catalog.sqlite" "$S/catalog.gone"; follow -C "$S" list
mv "$S/objects" o; try -C "$S" verify; try -C "$S" restore base -o z 2>&1 | sed 's#/objects/.*#/objects/…#'; try -C "$S" verify --repair
