def rank(candidates):
    if candidates:
        return sorted(candidates)

    return []

