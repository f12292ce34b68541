strata init --user && cd / && strata list
