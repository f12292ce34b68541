# What a store keeps of a remote is lost: verify says so, a fetch mends it, and no tag comes back.
strata -C ours init -q >/dev/null && strata -C ours import $MODELS/base.safetensors --name base -q >/dev/null
strata -C ours remote add stick file://$PWD/stick -q >/dev/null
strata -C ours add sst2 $MODELS/tuned.safetensors --base base --tag prod -q >/dev/null
strata -C ours push -q >/dev/null; strata -C ours fetch -q >/dev/null
try() { echo "$ strata $*" | sed "s|$PWD|.|g" >&2; strata -C ours "$@"; echo "exit $?"; }
for ending in tags notes json; do
  printf x | dd of=ours/remotes/stick.$ending bs=1 seek=9 conv=notrunc 2>/dev/null
  try verify
  try fetch
  try verify -q
done
# A repair fetches no object for it, and asks no remote: with two of them, which.
strata -C ours remote add other file://$PWD/other -q >/dev/null
printf x | dd of=ours/remotes/stick.tags bs=1 seek=9 conv=notrunc 2>/dev/null
try verify --repair
strata -C ours verify --json --progress never 2>/dev/null | grep -o '"remote":"[a-z]*"'
try fetch stick
try verify --repair -q
strata -C ours remote remove other -q >/dev/null
rm ours/remotes/stick.tags
try tag remove stick/sst2:prod --yes
try push
try pull
try push -n
try push --force-tag
try push
rm ours/remotes/stick.json
try verify
try push
try fetch
try verify -q
# A place that is named anew is the same place.
try remote remove stick
try remote add stick file://$PWD/stick
rm stick/refs/*
try fetch
try push --repair
# What is no file is set aside, with what lies in it.
rm ours/remotes/stick.tags && mkdir -p ours/remotes/stick.tags/way
try verify
try fetch
try verify -q
try push -q
ls -d ours/remotes/stick.tags.damaged/way
# All of it is lost at once.
rm -r ours/remotes
try verify
try push
try remote gc --yes
try fetch
try verify -q
# Where that is damaged that tells, a repair makes it anew.
printf x | dd of=ours/asked.json bs=1 seek=9 conv=notrunc 2>/dev/null
try verify
try add sst2 $MODELS/base.safetensors
try verify --repair -q
try verify -q
