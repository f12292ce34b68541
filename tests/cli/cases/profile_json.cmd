strata profile list --json
