strata init -q >/dev/null
strata remote list
strata push; echo $?
strata remote add a file:///one/folder && strata remote add b hf://acme/models
strata remote add a file:///other; echo $?
strata remote set b --default
strata remote rename b hub
strata remote list
strata remote remove a
strata remote show none; echo $?
strata remote add bad http://example.org; echo $?
strata remote add bad hf://me:word@acme/models; echo $?
cat .strata/remotes.toml 2>/dev/null || cat remotes.toml
