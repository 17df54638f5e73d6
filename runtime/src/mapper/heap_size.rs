//! Estimates of the memory that values take on the heap.

/// The bytes of an allocation besides its contents: reference counts and the allocator's rounding.
pub(super) const ALLOCATION: usize = 32;

/// Bytes that an entry of a hash table takes: such tables are between half and wholly full.
pub(super) const fn entry<K, V>() -> usize {
    2 * (size_of::<(K, V)>() + 1)
}

/// The bytes that a name takes which is kept in a list and, with its number, in a hash table.
pub(super) fn named<T>(name: &str) -> usize {
    3 * ALLOCATION + 2 * name.len() + entry::<String, T>() + size_of::<T>()
}

/// Something that takes bytes on the heap.
pub(super) trait HeapSize {
    /// The bytes on the heap that belong to it alone.
    fn heap_size(&self) -> usize;
}
