private import CLMDB
private import Synchronization

/// The state of announcing the commits of other processes.
struct OtherCommits: Sendable {
    /// The number of the newest commit that is this process's own, or was announced.
    var known: UInt64 = 0
    /// Whether a commit of another process preceded one of this process, and was not announced.
    var hasMissed = false
    var watch: FileWatch?
    var onCommits: (@Sendable () -> Void)?
}

extension Environment {
    /// Calls `body` on the writer thread after commits of other processes, from now on until the environment closes.
    ///
    /// The system reports writes to the data file, and commit numbers distinguish this process's own commits from
    /// others. Other processes need not cooperate. Commits within a few milliseconds are announced once; those made
    /// while this process writes, afterwards. A snapshot begun in `body` includes them. A later call replaces `body`.
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

    /// Ends the announcements, when the environment closes.
    func stopWatching() {
        others.withLock { $0.watch.take() }?.cancel()
    }

    /// Records the begin of a write transaction, which will have the number `commit`; on the writer thread.
    func noteBegin(of commit: UInt64) {
        others.withLock { others in
            if commit &- 1 > others.known {
                others.known = commit &- 1
                others.hasMissed = true
            }
        }
    }

    /// Records the commit of a write transaction that changed something; on the writer thread.
    func noteEnd(of commit: UInt64) {
        // A transaction that undid its changes leaves its number to the next one, of any process.
        guard let newest = try? newestCommit(), newest >= commit else { return }
        others.withLock { $0.known = max($0.known, commit) }
    }

    /// Schedules an announcement of commits of others, if there are any, once the writer thread has nothing more urgent
    /// to do.
    private func lookForOthers(tries: Int = 200) {
        guard let newest = try? whileOpen({ () throws(EngineError) in try newestCommit() }),
            others.withLock({ newest > $0.known || $0.hasMissed })
        else { return }
        _ = writer.submit(isBulk: true) { [weak self] in self?.announceOthers(tries: tries) }
    }

    /// Announces commits of others; on the writer thread, so that none of this process's own is under way.
    ///
    /// LMDB shows a commit to new readers after its meta page is on the medium. A commit that is written and not
    /// visible yet is therefore checked for again. When its process died in between, this process's next write makes it
    /// visible.
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

    /// Returns the number of the newest commit on the meta pages.
    private func newestCommit() throws(EngineError) -> UInt64 {
        var info = unsafe MDB_envinfo()
        try check(unsafe mdb_env_info(handle, &info), "mdb_env_info")
        return UInt64(unsafe info.me_last_txnid)
    }
}
