"""Chooses how the statements of a store are changed."""

def choose_changes(target, log, *, is_atomic, is_held, is_committed):
    """Choose how the statements of a target's store are changed.

    Args:
        target, log, is_atomic: As for `Changes`.
        is_held: Whether all operations are available without waiting.
        is_committed: Whether a `JellyStore` commits each transaction. A recorded store does not,
            unless it is in a file.
    """
    cdef Tap tap = find_tap(target.store)
    store = target.store
    # `JellyChanges` must be the only object that changes a recorded store, but other threads may do
    # so while it waits for operations.
    if (
        type(store) is JellyStore
        and (tap is None or is_held)
        and not store.dispatcher.get_map()
    ):
        return JellyChanges(
            target, log, is_atomic=is_atomic, is_held=is_held, is_committed=is_committed
        )
    if can_use(store) and (
        tap is None or (is_atomic and is_held and not tap.is_shared)
    ):
        changes = MemoryChanges(target, log, is_atomic=is_atomic)
        # Another thread may have started a recording in the meantime.
        if changes.tap is tap:
            return changes
    if is_atomic and tap is None and isinstance(store, SPARQLUpdateStore):
        return EndpointChanges(target, log)
    return GeneralChanges(target, log, is_atomic=is_atomic, is_committed=is_committed)
