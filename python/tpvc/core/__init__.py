"""The names that rule code imports from `tpv.core`: in a rule, `tpv` is this package, whether or not TPV is installed."""
