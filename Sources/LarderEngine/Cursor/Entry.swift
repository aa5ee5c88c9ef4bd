internal import CLMDB

/// A key and its value, in place in the map.
public struct Entry: ~Escapable {
    /// The key, 1 to 511 bytes.
    public let key: RawSpan
    /// The value.
    public let value: RawSpan

    /// Wraps the values that LMDB returned; the caller has checked their bounds, and binds the lifetime.
    @unsafe
    @_lifetime(immortal)  // Every caller overrides it with the cursor's at once.
    init(key: MDB_val, value: MDB_val) {
        let keySpan = unsafe RawSpan(_unsafeStart: UnsafeRawPointer(key.mv_data), byteCount: key.mv_size)
        let valueSpan = unsafe RawSpan(_unsafeStart: UnsafeRawPointer(value.mv_data), byteCount: value.mv_size)
        self.key = unsafe _overrideLifetime(keySpan, copying: ())
        self.value = unsafe _overrideLifetime(valueSpan, copying: ())
    }
}
