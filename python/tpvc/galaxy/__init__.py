"""What a Galaxy server keeps between mappings, and how its objects and TPV's names meet tpvc's."""
