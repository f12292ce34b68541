strata info | grep -E "store|trouble"
