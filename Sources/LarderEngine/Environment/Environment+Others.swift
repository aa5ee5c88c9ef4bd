private import CLMDB
private import Synchronization

/// What an environment knows of the commits of other processes.
struct OtherCommits: Sendable {
    /// The number of the newest commit that is this process's own, or has been announced.
    var known: UInt64 = 0
    /// Whether one of another process came before one of this process's, and has not been announced.
    var hasMissed = false
    var watch: FileWatch?
    var onCommits: (@Sendable () -> Void)?
}

extension Environment {
    /// Calls `body` on the writer thread after commits of other processes, from now on until the environment closes.
    ///
    /// The system announces writes to the data file, and the numbers of the commits tell this process's own from others:
    /// other processes need not do anything. Commits within a few milliseconds are announced once; while this process
    /// writes, afterwards. A snapshot begun in `body` shows them. The last call counts.
    ///
    /// - Returns: false where the system allows no more watches (inotify(7), `max_user_watches`): nothing is announced.
    /// - Throws: as ``read(_:)``.
    public func onCommitsOfOthers(_ body: @escaping @Sendable () -> Void) throws -> Bool {
        if options.isStepped { return true }
        // Later commits are announced; the caller reads after this call and sees the earlier ones.
        let shown = try read { $0.commit }
        return try whileOpen { () throws(EngineError) in
            others.withLock { others in
                others.onCommits = body
                if others.watch != nil { return true }
                others.watch = FileWatch(path: path + "/" + StoreDirectory.dataName) { [weak self] in
                    self?.lookForOthers()
                }
                others.known = max(others.known, shown)
                others.hasMissed = false
                return others.watch != nil
            }
        }
    }

    /// Ends the announcements. The environment is closing.
    func stopWatching() {
        others.withLock { $0.watch.take() }?.cancel()
    }

    /// Notes that a write transaction begins, which `commit` will be the number of; on the writer thread.
    func noteBegin(of commit: UInt64) {
        others.withLock { others in
            if commit &- 1 > others.known {
                others.known = commit &- 1
                others.hasMissed = true
            }
        }
    }

    /// Notes that a write transaction that changed something was committed; on the writer thread.
    func noteEnd(of commit: UInt64) {
        // A transaction that undid its changes leaves its number to the next one, of whatever process.
        guard let newest = try? newestCommit(), newest >= commit else { return }
        others.withLock { $0.known = max($0.known, commit) }
    }

    /// Has commits of others announced, if there are any, once the writer thread has nothing more urgent to do.
    private func lookForOthers(tries: Int = 200) {
        guard let newest = try? whileOpen({ () throws(EngineError) in try newestCommit() }),
            others.withLock({ newest > $0.known || $0.hasMissed })
        else { return }
        _ = writer.submit(isBulk: true) { [weak self] in self?.announceOthers(tries: tries) }
    }

    /// Announces commits of others; on the writer thread, so that none of this process's own is under way.
    ///
    /// LMDB shows a commit to new readers after its meta page is on the medium: what is written and not shown yet is looked for
    /// again. Where its process died in between, this process's next write shows it.
    private func announceOthers(tries: Int) {
        guard let newest = try? whileOpen({ () throws(EngineError) in try newestCommit() }),
            let shown = try? read({ $0.commit })
        else { return }
        let onCommits = others.withLock { others -> (@Sendable () -> Void)? in
            guard shown > others.known || others.hasMissed else { return nil }
            others.known = max(others.known, shown)
            others.hasMissed = false
            return others.onCommits
        }
        onCommits?()
        guard newest > shown, tries > 0 else { return }
        FileWatch.later { [weak self] in self?.lookForOthers(tries: tries - 1) }
    }

    /// The number of the newest commit on the meta pages.
    private func newestCommit() throws(EngineError) -> UInt64 {
        var info = unsafe MDB_envinfo()
        try check(unsafe mdb_env_info(handle, &info), "mdb_env_info")
        return UInt64(unsafe info.me_last_txnid)
    }
}
