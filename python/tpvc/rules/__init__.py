"""What `rules_module: tpvc.rules` in Galaxy's `job_conf.yml` names.

Galaxy imports every module of this package at each mapping and takes the first that has the function it looks for, so there
is only `gateway`. It may also load the package again at any time; what must outlive that is kept in `tpvc.galaxy`.
"""
