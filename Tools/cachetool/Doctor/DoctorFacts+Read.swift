import Foundation
import LarderEngine
import LarderFormat
import LarderOutbox
import LarderStore

extension DoctorFacts {
    /// Reads everything that can be read of the store at `path`; never writes.
    ///
    /// - Parameters:
    ///   - isThorough: whether every page and record is verified.
    ///   - cap: the cap of the app, in bytes.
    /// - Throws: ``ToolError`` when there is no store at `path`, and when a signal requested the end.
    init(of path: String, isThorough: Bool, cap: Int64?, isRedacted: Bool) throws {
        self.init(now: Filters.now(), redactor: Redactor(isOn: isRedacted, store: UUIDBytes(high: 0, low: 0)))
        let path = try DiagnosticFile.directory(of: path)
        files = DoctorFiles(of: path)
        if !files.hasGuard, FileManager.default.fileExists(atPath: path + "/data.mdb") { return }
        try StoreArgument.check(path)
        do {
            // An open reads records, which liblmdb may not survive on damaged pages.
            if try !readPages(path, isThorough ? .pages : .quick) { return }
            let store = try StoreArgument.open(path)
            defer { try? store.close() }
            if isInUse || isThorough, try !verify(store, isThorough ? .meaning : .quick) { return }
            try readContent(store, cap)
        } catch {
            guard let status = ExitStatus(error), status != .interrupted else { throw error }
            failure = Failure(text: "\(error)", status: status)
        }
    }

    /// Reads everything that can be read of a store that is open in this process; never fails.
    ///
    /// - Parameters:
    ///   - path: the directory of the store.
    ///   - verifiesPages: whether its pages are checked, in a time that hardly grows with the store.
    init(of store: Store, at path: String, now: Int64, verifiesPages: Bool = true) {
        self.init(now: now, redactor: Redactor(isOn: false, store: UUIDBytes(high: 0, low: 0)))
        files = DoctorFiles(of: path)
        isInUse = true
        do {
            if verifiesPages, try !verify(store, .quick) { return }
            try readContent(store, nil)
        } catch {
            failure = Failure(text: "\(error)", status: ExitStatus(error) ?? .system)
        }
    }

    /// Checks the pages of a store that no process has open; returns whether records may be read.
    private mutating func readPages(_ path: String, _ level: VerifyLevel) throws -> Bool {
        var progress = Progress("pages")
        defer { progress.end() }
        let found = try StoreArgument.whileLocked {
            try Store.pageFindings(level, at: path) { try progress.show($0, of: $1) }
        }
        isInUse = found == nil
        hasPages = found != nil
        for finding in found ?? [] { add(finding) }
        return found?.contains(where: \.endsChecks) != true
    }

    /// Verifies the open store; returns whether records may be read.
    private mutating func verify(_ store: Store, _ level: VerifyLevel) throws -> Bool {
        var progress = Progress("pages and entries")
        defer { progress.end() }
        var found: [LarderStore.Finding] = []
        _ = try store.verify(level, progress: { try progress.show($0, of: $1) }) { found.append($0) }
        // The check of the pages is a part of this one.
        damage = []
        hasPages = true
        for finding in found { add(finding) }
        return !found.contains(where: \.endsChecks)
    }

    /// Counts a finding with those of its table and kind.
    mutating func add(_ finding: LarderStore.Finding) {
        let known = damage.firstIndex {
            $0.table == finding.table && $0.kind == finding.kind.rawValue && $0.severity == finding.severity
        }
        if let known {
            damage[known].count += 1
        } else {
            damage.append(
                Damage(
                    severity: finding.severity, table: finding.table, kind: finding.kind.rawValue,
                    consequence: finding.consequence, remedy: finding.remedy))
        }
    }

    private mutating func readContent(_ store: Store, _ cap: Int64?) throws {
        // Ages in a diagnostic copy are those of the time when it was made.
        if let copy = try attempt(.space, { try store.read { view in try view.diagnostics() } }) ?? nil {
            now = copy.time
        }
        let now = now
        if let format = try attempt(.space, { try store.read { view in try view.format() } }) {
            redactor = Redactor(isOn: redactor.isOn, store: format.storeID)
        }
        space = try attempt(.space) { try SpaceFacts(store, cap: cap) }
        owners = try attempt(.owners) { try store.read { view in try OwnerFacts(view, now: now) } }
        if let found = try attempt(.sync, { try store.read { view in try view.readableFilterStates() } }) {
            filters = FilterFacts.all(found.filters, now: now)
            damagedFilters = found.damaged
        }
        writes = try attempt(.outbox) { try store.read { view in try WriteFacts(view, now: now) } }
        journal = try attempt(.journal) { try store.read { view in try JournalFacts(view) } }
    }

    /// Returns what `read` returns; nil where it meets damage, which is recorded.
    private mutating func attempt<Result>(_ part: Part, _ read: () throws -> Result) throws -> Result? {
        try Interrupt.check()
        do { return try read() } catch  where ExitStatus(error) == .damage {
            unreadable.append(Unreadable(part: part, reason: "\(error)"))
            return nil
        }
    }
}

extension SpaceFacts {
    init(_ store: Store, cap: Int64?) throws {
        let statistics = try store.statistics()
        let use = try store.spaceUse()
        fileSize = statistics.fileSize
        pageSize = statistics.pageSize
        usedPages = statistics.usedPages
        pages = statistics.lastPage + 1
        storedSize = statistics.storedSize
        self.cap = cap
        heldSize = [use.overlaid, use.outbox].reduce(use.pinned) { $0.addingReportingOverflow($1).partialValue }
        garbageSize = use.garbage
        stagingGenerations = statistics.generations.staging
        usedReaders = statistics.readers.used
        maximumReaders = statistics.readers.maximum
        evictedResources = statistics.resources.evicted
    }
}

extension OwnerFacts {
    init(_ view: borrowing ReadView, now: Int64) throws {
        for content in ServerContent.allCases {
            servers[content] = try view.server(of: content)
            waits[content] = try view.serverWait(for: content, now: now)
        }
        account = try view.contentAccount()
        session = try view.session()
    }
}

extension FilterFacts {
    /// Returns the facts of filters.
    static func all(_ filters: [(state: FilterState, readiness: FilterReadiness)], now: Int64) -> [FilterFacts] {
        filters.map { state, readiness in
            FilterFacts(
                name: state.filter, syncedAt: readiness.syncedAt, failures: state.failures, lastError: state.lastError,
                nextRunAt: state.nextRunAt, resyncs: state.resyncs, isOverdue: readiness.isOverdue(now: now),
                failed: readiness.failedMembers.map {
                    FailedSnapshot(
                        resource: $0.resource, reason: $0.reason, attempts: $0.attempts, isFinal: $0.isFinal,
                        retryAt: $0.retryAt)
                })
        }
    }
}

extension WriteFacts {
    init(_ view: borrowing ReadView, now: Int64) throws {
        let (heads, _) = try view.readableOutboxHeads()
        let state = try view.session().map { AuthenticationState($0) } ?? .signedIn(nil)
        let wait = try view.serverWait(for: .outbox, now: now)
        let reasons = DeliveryMachine.waitReasons(of: heads, authentication: state, serverWait: wait)
        writes = heads.map { entry in
            Write(
                id: entry.id, state: entry.delivery.state, isInDoubt: entry.delivery.isInDoubt,
                createdAt: entry.createdAt, lastError: entry.delivery.lastError, reason: reasons[entry.id] ?? .turn)
        }
        // Of bodies too, which the heads do not contain.
        damaged = try view.readableOutboxEntries().damaged
        if damaged > 0 { damagedIDs = try view.damagedOutboxEntries() }
    }
}

extension JournalFacts {
    init(_ view: borrowing ReadView) throws {
        for eviction in try view.evictions() where eviction.reason == .cap {
            evictions += 1
            evictedSize = evictedSize.addingReportingOverflow(eviction.bytes).partialValue
            lastEvictionAt = eviction.time
        }
        let found = try view.conflicts()
        conflicts = found.count
        lastConflictAt = found.last?.time
    }
}
