extension Environment {
    /// Returns the size in bytes of a file beside the data file; 0 where there is none, or the system does not report
    /// it.
    public func auxiliaryFileSize(_ name: String) -> Int64 { StoreDirectory(path: path).size(of: name) }

    /// Removes files beside the data file; those that do not exist are skipped.
    ///
    /// The directory is locked meanwhile. The data file must still be the one that is open, because files beside a
    /// store that replaced it are not this store's. Blocks while another process opens or closes the store.
    ///
    /// - Parameter names: none of LMDB's and none of the engine's own.
    /// - Throws: ``EngineError/replaced``, ``EngineError/untrustedDirectory(_:)``; ``EngineError/closed``,
    ///   ``EngineError/readOnly``, ``EngineError/usedAfterFork``, ``EngineError/stopped``; an error of the system when
    ///   a file cannot be removed.
    public func removeAuxiliaryFiles(_ names: [String]) throws(EngineError) {
        try checkUsable()
        if options.isReadOnly { throw .readOnly }
        let lock = try StoreDirectory(path: path).lock(LockWait(limit: options.lockTimeout))
        defer { withExtendedLifetime(lock) {} }
        if try StoreDirectory(path: path, descriptor: lock).dataIdentity() != identity { throw .replaced }
        precondition(!names.contains { $0.contains("/") }, "files beside the data file")
        try StoreDirectory.removeFiles(names, in: lock)
    }
}
