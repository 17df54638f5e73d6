"""The package that `rules_module: tpvc.shadow` in Galaxy's `job_conf.yml` names: TPV maps each job, and tpvc maps it once more to compare.

As in `tpvc.rules`, there is only `gateway`: Galaxy imports every module of this package at each mapping.
"""
