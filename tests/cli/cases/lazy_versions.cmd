strata -C ours init -q >/dev/null && strata -C ours import $MODELS/base.safetensors --name base -q >/dev/null
strata -C ours add sst2 $MODELS/tuned.safetensors --base base --tag prod -q >/dev/null
strata -C ours add ner $MODELS/tuned2.safetensors --base base -q >/dev/null
strata -C ours push file://$PWD/stick -q >/dev/null
strata clone file://$PWD/stick theirs --lazy -q >/dev/null
export STRATA_STORE=$PWD/theirs
strata list
strata list --tree
strata log sst2
strata log --oneline | sort -k 2
strata show sst2 | sed -n '1,3p'
strata info --redact | sed -n '/^size/p; /^not here/p; /^objects/s/,.*//p'
strata info --objects | grep ' pack '
field() { python3 -c "import json, sys; d = json.load(sys.stdin); print($1)"; }
strata list --json | field '[(v["ref"], v["here"], v["awaited_packs"]) for v in d["versions"]]'
strata show ner --json | field 'd["version"]["awaited_packs"], d["version"]["awaited_bytes"] > 0'
echo "what is on the disk"
here() { echo $(($(find theirs/objects -type f -printf '%s+')0)); }
test $(strata list --json | field 'd["totals"]["store_bytes"]') = $(here) && echo counted
strata restore sst2 -o back.safetensors -n
strata restore sst2 -o back.safetensors -q && cmp back.safetensors $MODELS/tuned.safetensors && echo same
strata list
strata list --filter 'awaited>0' -q
test $(strata info --json | field 'd["store"]["totals"]["store_bytes"]') = $(here) && echo counted
echo "a catalog of an earlier program"
python3 -c 'import sqlite3; sqlite3.connect("theirs/catalog.sqlite").execute("DROP TABLE awaited")'
strata list --json | field 'd["totals"]["awaited_packs"]'
strata tag ner lab -q && strata list --json | field 'd["totals"]["awaited_packs"]'
echo "a lost catalog"
strata list --json > before && rm theirs/catalog.sqlite* && strata verify --rebuild-catalog -q
strata list --json | cmp - before && echo "nothing forgotten"
strata remove ner -n
strata remove ner --now -y -q
strata list --json | field '{k: v for k, v in d["totals"].items() if k.startswith("awaited")}'
strata pull -q && strata list --columns name,here
