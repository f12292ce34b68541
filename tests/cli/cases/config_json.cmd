strata config list --json
