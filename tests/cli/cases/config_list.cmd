strata config list --origin
