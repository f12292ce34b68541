strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata add sst2 $MODELS/tuned.safetensors -q >/dev/null
mkdir mine && echo precious >mine/v1.json
ln -s ../../mine .strata/trash/sst2
strata verify --rebuild-catalog; echo "rebuild of the catalog: $?"
strata verify; echo "verify: $?"
strata remove sst2 --now --yes; echo "remove: $?"
cat mine/v1.json; rm .strata/trash/sst2
echo stray >.strata/refs/foo.txt; echo stray >.strata/trash/.DS_Store
strata verify && strata gc --yes -q
mv .strata/refs elsewhere; ln -s ../elsewhere .strata/refs
strata list; echo "list: $?"
rm .strata/refs; mv elsewhere .strata/refs
rm .strata/refs/sst2/v1.json .strata/catalog.sqlite*
strata verify --rebuild-catalog; echo "rebuild of the catalog: $?"
strata verify --repair; strata restore recovered -o back -q; cmp back $MODELS/tuned.safetensors && echo same
