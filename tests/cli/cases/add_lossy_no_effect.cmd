strata init -q >/dev/null && strata import $EXAMPLES/base.safetensors --name base -q >/dev/null
tuned="$EXAMPLES/rotated.safetensors --base base"
tried() { strata add x $tuned "$@" -q; echo "$*: exit $?"; }
for options in "--prune 99" "--protect 50" "--spacing even" "--entropy rans" "--levels 7" "--codec levels --prune 50" "--codec levels --levels 8 --step 2" "--codec sign --rank 4" "--codec exponent --step 3" "--codec sign --sensitivity rows" "--codec index" "--codec bounded" "--codec nonesuch" "--protect-tensor typo*" "--protect-tensor fc1.weight" "--trials 5" "--allow-miss" "--step 1 --trials 5" "--max-size 20kB --significance 0.05" "--exact --step 1"; do tried $options; done
strata tune $tuned --codec nonesuch --max-size 20kB -q; echo "exit $?"
strata tune $tuned --estimate --codec index -q; echo "exit $?"
for options in "--codec levels --levels 8 --prune 50" "--codec index --levels 8 --spacing even --entropy rans" "--codec bounded --max-error 0.01" "--levels 7 --step 0.1" "--rank 2 --sensitivity none --step 1" "--codec index --max-size 20kB --trials 2 --allow-miss"; do strata add x $tuned $options -n -q >/dev/null 2>&1; echo "$options: exit $?"; done
strata list -q
