strata init
strata init
strata init elsewhere
strata init -q third | sed "s|.*/||"
ls -d .strata elsewhere third
