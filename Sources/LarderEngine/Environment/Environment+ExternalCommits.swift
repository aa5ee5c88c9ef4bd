private import CLMDB
private import Synchronization

/// The state of announcing the commits of other processes.
struct ExternalCommits: Sendable {
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
    /// while this process writes, afterwards. A read view begun in `body` includes them. A later call replaces `body`.
    ///
    /// - Returns: false where the system allows no more watches (inotify(7), `max_user_watches`): nothing is announced.
    /// - Throws: as ``read(_:)``.
    public func onExternalCommits(_ body: @escaping @Sendable () -> Void) throws -> Bool {
        if options.isStepped { return true }
        // Later commits are announced; the caller reads after this call and sees the earlier ones.
        let visible = try read { $0.commit }
        return try whileOpen { () throws(EngineError) in
            externalCommits.withLock { commits in
                commits.onCommits = body
                if commits.watch != nil { return true }
                commits.watch = FileWatch(path: path + "/" + StoreDirectory.dataName) { [weak self] in
                    self?.checkForExternalCommits()
                }
                commits.known = max(commits.known, visible)
                commits.hasMissed = false
                return commits.watch != nil
            }
        }
    }

    /// Ends the announcements, when the environment closes.
    func stopWatching() {
        externalCommits.withLock { $0.watch.take() }?.cancel()
    }

    /// Records the begin of a write transaction, which will have the number `commit`; on the writer thread.
    func recordBegin(of commit: UInt64) {
        externalCommits.withLock { commits in
            if commit &- 1 > commits.known {
                commits.known = commit &- 1
                commits.hasMissed = true
            }
        }
    }

    /// Records the commit of a write transaction that changed something; on the writer thread.
    func recordEnd(of commit: UInt64) {
        // A transaction that undid its changes leaves its number to the next one, of any process.
        guard let newest = try? newestCommit(), newest >= commit else { return }
        externalCommits.withLock { $0.known = max($0.known, commit) }
    }

    /// Schedules an announcement of commits of others, if there are any, once the writer thread has nothing more urgent
    /// to do.
    ///
    /// A suspended environment stays suspended, and checks when it is opened again.
    func checkForExternalCommits(tries: Int = 200) {
        guard let newest = try? whileOpen(resumes: false, { () throws(EngineError) in try newestCommit() }),
            externalCommits.withLock({ newest > $0.known || $0.hasMissed })
        else { return }
        _ = writer.submit(isBulk: true) { [weak self] in self?.notifyOfExternalCommits(tries: tries) }
    }

    /// Announces commits of others; on the writer thread, so that none of this process's own is under way.
    ///
    /// LMDB shows a commit to new readers after it has written the meta page, which a full commit also syncs. A commit
    /// that is written and not visible yet is therefore checked for again. When its process died in between, this
    /// process's next write makes it visible.
    private func notifyOfExternalCommits(tries: Int) {
        guard let newest = try? whileOpen(resumes: false, { () throws(EngineError) in try newestCommit() }),
            let visible = try? read({ $0.commit })
        else { return }
        let onCommits = externalCommits.withLock { commits -> (@Sendable () -> Void)? in
            guard visible > commits.known || commits.hasMissed else { return nil }
            commits.known = max(commits.known, visible)
            commits.hasMissed = false
            return commits.onCommits
        }
        onCommits?()
        guard newest > visible, tries > 0 else { return }
        FileWatch.afterDelay { [weak self] in self?.checkForExternalCommits(tries: tries - 1) }
    }

    /// Returns the number of the newest commit on the meta pages.
    private func newestCommit() throws(EngineError) -> UInt64 {
        var info = unsafe MDB_envinfo()
        try check(unsafe mdb_env_info(handle, &info), "mdb_env_info")
        return UInt64(unsafe info.me_last_txnid)
    }
}
