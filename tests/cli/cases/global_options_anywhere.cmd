strata -C here --color never init -q | sed 's|.*/||'
strata list -C here --json | head -c 12; echo
strata --json trash list -C here | head -c 12; echo
strata trash -C here list --json | head -c 12; echo
STRATA_STORE=here STRATA_JSON=1 strata list | head -c 12; echo
