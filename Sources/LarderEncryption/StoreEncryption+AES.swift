#if Encryption
public import LarderStore

extension StoreEncryption {
    /// Encrypts values with AES-256-GCM, with keys that `key` opens.
    ///
    /// ```swift
    /// var options = StoreOptions()
    /// options.encryption = .aes256(key)
    /// let store = try Store.open(at: path, options: options)
    /// try store.close()
    /// ```
    public static func aes256(_ key: EncryptionKey) -> StoreEncryption { aes256 { key } }

    /// Encrypts values with AES-256-GCM, with keys that the result of `key` opens.
    ///
    /// ```swift
    /// options.encryption = .aes256 { try keychain.key() }
    /// ```
    ///
    /// - Parameter key: returns the app's key. It is called when a store is opened or created, when it begins a new
    ///   data key, and when another process has changed the keys; on any thread, and it may block. It must not use the
    ///   store that the key is for. What it throws is thrown by the function that needs the key; within a read, the
    ///   functions of the view throw it as `EngineError.keyUnavailable`.
    public static func aes256(_ key: @escaping @Sendable () throws -> EncryptionKey) -> StoreEncryption {
        StoreEncryption(AESHostKey(key))
    }
}
#endif
