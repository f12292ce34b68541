# Nothing that a command writes may replace a store's own files, whichever store it is.
strata init -q >/dev/null && strata import $MODELS/base.safetensors --name base -q >/dev/null
strata -C other init -q >/dev/null && strata -C other import $MODELS/base.safetensors --name base -q >/dev/null
ln -s ../.strata other/link; ln -s .strata/objects way
sum() { (cd $1 && find . -type f ! -name lock ! -name '*-shm' | sort | xargs sha256sum); }
sum .strata > before; sum other > before-other
try() { echo "$ strata $*" >&2; strata "$@"; echo "exit $?"; }
try restore base -o .strata/catalog.sqlite -f
try -C other restore base -o .strata/new
try restore base -o other -f
try restore base -o way/new
try restore base -o other/link/objects/new -n
try restore base --tensor '*' --format npy -o .strata/tensors
try bundle create .strata/objects/x
try bundle create other/catalog.sqlite --force
try diff base $MODELS/tuned.safetensors --output other/store.toml
try tune $MODELS/tuned.safetensors --base base --target error=0.5 --plot .strata/refs/plot.svg
try bench base --work .strata/tmp --repeat 1
try init .strata/objects/new
try --config .strata/store.toml config set jobs 1
sum .strata | diff before - && sum other | diff before-other - && echo untouched
# Beside a store all of that is fine.
strata restore base -o out.safetensors -q
strata diff base $MODELS/tuned.safetensors --output out.csv -q; head -c 12 out.csv; echo
strata diff base $MODELS/tuned.safetensors --output out.safetensors; echo "exit $?"; cmp out.safetensors $MODELS/base.safetensors && echo "still a model"
strata diff base $MODELS/tuned.safetensors --output out.csv --force -q && echo replaced
mkfifo pipe; cat pipe > read.csv & strata diff base $MODELS/tuned.safetensors --output pipe -q; wait
cmp out.csv read.csv && test -p pipe && echo "still a fifo"
