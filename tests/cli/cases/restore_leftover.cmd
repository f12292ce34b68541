# What a killed restore left goes with the next one into that folder; what is in use stays, and so
# do files and folders of the user's that no program of ours gave such a name.
strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
left() { begin=.strata-file-0000000$1; echo out/$begin$(printf %s $begin | sha256sum | cut -c1-8).tmp; }
mkdir out; for n in 0 1; do echo half > $(left $n); done; echo mine > out/.strata-file-00112233445566aa.tmp
exec 9< $(left 1); flock 9
strata restore base -o out -q; ls -A out
exec 9<&-
strata restore base -o out --force -q; ls -A out
echo half > $(left 2)
strata restore base -o out/one.npy --tensor '*' --format npy -q; strata restore base -o out --tensor '*' --format npy -q
ls -A out | grep tmp; strata bundle create out/b.tar -q; ls out | grep tar
