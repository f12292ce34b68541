# What a killed restore left goes with the next one into that folder; what is in use stays.
strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
mkdir out; for n in 0 1; do echo half > out/.strata-file-000000000000000$n.tmp; done
exec 9< out/.strata-file-0000000000000001.tmp; flock 9
strata restore base -o out -q; ls -A out
exec 9<&-
strata restore base -o out --force -q; ls -A out
echo half > out/.strata-file-0000000000000002.tmp
strata restore base -o out/one.npy --tensor '*' --format npy -q; strata restore base -o out --tensor '*' --format npy -q
ls -A out | grep tmp; strata bundle create out/b.tar -q; ls out | grep tar
