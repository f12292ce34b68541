strata help restore
strata restore --help | diff - <(strata help restore)
strata help trash
strata trash list --help
