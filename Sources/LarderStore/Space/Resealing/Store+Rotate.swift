internal import LarderEngine
internal import LarderFormat

extension Store {
    /// Replaces the key of an encrypted store by another one, while it is in use.
    ///
    /// When the first commit is done, only the new key opens the store. Then every value is sealed anew, in short commits
    /// that let other writes go first, and the old keys of the store are removed. A process that is killed meanwhile, or
    /// a cancellation, leaves a store that the next open for writing completes in the background.
    ///
    /// Have the new key stored before the call, beside the old one: after a crash try the new one first. Destroy the old
    /// key when the call has returned. What is left of removed content in the file's free pages, in older copies of the
    /// file and on the medium can then no longer be read by anyone: this is how the content of a removed account is
    /// destroyed. Names in keys of records are not encrypted, and stay.
    ///
    /// Other processes that have the store open read on until they meet a value that is sealed anew: where their key is
    /// not the new one then, reads throw `EngineError.keyRefused`, and writes ``StoreError/encryption(_:)``. So have them
    /// open it with the new key: every `Store` of that process continues with it.
    ///
    /// ```swift
    /// try await cache.store.rotateEncryption(to: .aes256(newKey))
    /// ```
    ///
    /// - Parameter encryption: the encryption with the new key.
    /// - Throws: ``StoreError/encryption(_:)`` for a plain store, and while this process replaces the key already;
    ///   `CancellationError` between two commits; the errors of a
    ///   write, and of the hosts that supply the keys.
    /// - Complexity: reads and writes every value once.
    public func rotateEncryption(to encryption: StoreEncryption) async throws {
        try checkWritable()
        guard let cipher = shared.cipher else { throw StoreError.encryption(.notEncrypted) }
        try cipher.announce(encryption)
        do {
            try await write { transaction in
                try transaction.changeKeys { value in try cipher.rewrapped(value, by: encryption) }
            }
        } catch {
            cipher.withdrawAnnouncement()
            throw error
        }
        cipher.complete(encryption)
        try await reseal(cipher)
    }

    /// Seals the values of older keys anew, and removes these keys.
    private func reseal(_ cipher: StoreCipher) async throws {
        // The next transaction reads the keys that are stored now.
        guard let target = try await writeBulk({ _ in cipher.rotationTarget }) else { return }
        var place: ResealingPlace? = ResealingPlace()
        while let start = place {
            try Task.checkCancellation()
            place = try await writeBulk { transaction in
                try transaction.resealSome(below: target, from: start, isTimeUp: self.shared.deadline())
            }
        }
        try await write { transaction in try transaction.removeKeys(below: target) }
    }
}

extension SharedState {
    /// The cipher of the file; nil where it is plain.
    var cipher: StoreCipher? { environment.cipher as? StoreCipher }
}
