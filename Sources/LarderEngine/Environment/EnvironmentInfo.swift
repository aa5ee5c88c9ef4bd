private import CLMDB

/// Sizes of an environment at one time.
public struct EnvironmentInfo: Hashable, Sendable {
    /// The map's size, in bytes.
    public let mapSize: Int
    /// The highest page in use.
    public let lastPage: Int
    /// The number of the last commit.
    public let lastCommit: UInt64
    /// The number of reader slots.
    public let maximumReaders: Int
    /// The number of reader slots used at some time since the first open.
    public let usedReaders: Int
    /// The size of a page, in bytes.
    public let pageSize: Int
    /// The size of the data file, in bytes.
    public let fileSize: UInt64
}

extension Environment {
    /// Returns the current sizes. LMDB: `mdb_env_info`.
    ///
    /// - Throws: ``EngineError/closed``, ``EngineError/stopped``, ``EngineError/usedAfterFork``.
    public func info() throws(EngineError) -> EnvironmentInfo {
        try whileOpen { () throws(EngineError) in try currentInfo() }
    }

    private func currentInfo() throws(EngineError) -> EnvironmentInfo {
        var info = unsafe MDB_envinfo()
        var stat = MDB_stat()
        try check(unsafe mdb_env_info(handle, &info), "mdb_env_info")
        try check(unsafe mdb_env_stat(handle, &stat), "mdb_env_stat")
        var number: mdb_filehandle_t = -1
        try check(unsafe mdb_env_get_fd(handle, &number), "mdb_env_get_fd")
        return EnvironmentInfo(
            mapSize: unsafe info.me_mapsize, lastPage: unsafe info.me_last_pgno,
            lastCommit: UInt64(unsafe info.me_last_txnid),
            maximumReaders: Int(unsafe info.me_maxreaders), usedReaders: Int(unsafe info.me_numreaders),
            pageSize: Int(stat.ms_psize), fileSize: try FileDescriptor.identity(of: number).size)
    }
}
