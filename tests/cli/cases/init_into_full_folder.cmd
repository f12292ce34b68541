mkdir full && echo mine > full/file && strata init full; code=$?
ls full; exit $code
