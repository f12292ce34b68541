strata -C ours init -q >/dev/null && strata -C ours import $MODELS/base.safetensors --name base -q >/dev/null
strata -C ours add a $MODELS/tuned.safetensors --base base -q >/dev/null
strata -C ours remote add lab file://$PWD/stick
strata -C ours push -q a lab >/dev/null
strata -C ours add lab/a $MODELS/base.safetensors -q >/dev/null
strata -C ours add lab/a $MODELS/tuned.safetensors -q >/dev/null
strata -C ours show lab/a; echo exit $?
strata -C ours show :lab/a -q; strata -C ours show lab//a -q
strata -C ours restore lab/a -o x.safetensors 2>&1 | head -1
strata -C ours restore :lab/a:v1 -o x.safetensors -q && cmp x.safetensors $MODELS/base.safetensors
strata -C ours restore lab//a -o y.safetensors -q && cmp y.safetensors $MODELS/tuned.safetensors
for words in "diff lab/a a" "diff :lab/a:v1 base --exit-code -q" "diff lab//a a --exit-code -q"; do strata -C ours $words 2>&1 | head -1; done
for words in "tag lab/a prod" "note lab/a hi" "rename lab/a b -n" "recode lab/a -n" "cat lab/a w" "verify lab/a" "log lab/a" "prune lab/a --keep-last 9 -n" "tag list lab/a" "source lab/a URL" "push lab/a -n" "pull lab/a -n" "bundle create f.strata lab/a" "remove lab/a -n" "remove lab/* -n" "bench lab/a"; do strata -C ours $words >/dev/null 2>err; echo $? $(head -c 30 err); done
strata -C ours tag :lab/a prod && strata -C ours tag lab//a prod; echo exit $?
strata -C ours tag a:v1 prod -q >/dev/null; strata -C ours push -q a lab >/dev/null
for words in lab/a:prod :lab/a:prod lab//a:prod :lab/a:prod lab//a:prod; do strata -C ours tag remove $words --yes; done
strata -C ours push -n :lab/a -q; strata -C ours push -n lab//a -q; strata -C ours pull lab//a -n -q
strata -C ours remove 'lab//*' -n -q; strata -C ours remove ':lab/*' -n -q; strata -C ours remove :lab/a lab//a -n
strata -C ours rename :lab/a hub/a && strata -C ours remote rename lab hub && strata -C ours rename :hub/a hub/b
strata -C ours show hub/a -q
strata -C ours remove :hub/b:v1 :hub/b:v2 -q; strata -C ours trash empty :hub/b:v1 -n -q; strata -C ours trash empty ':hub/*' --yes -q
