strata list
