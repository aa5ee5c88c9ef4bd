public import LarderFormat
public import LarderStore
internal import LarderTransport
internal import Synchronization

/// A reconciler of rows with a server that offers only pages of a list in a stable order.
///
/// A reconciled list is a resource like any other, with its rows under (group, id, type). No filter may cover it, or
/// the deletions of both would conflict. One call is one pass over the list:
///
/// ```swift
/// let lists = ListReconciler(store: store)
/// try await lists.reconcile(ResourceKey("users", 1), type: "user", from: source)
/// ```
///
/// Each page is compared with the rows in one read, and the differences are written in one commit. A reader never sees
/// a page applied in part, and a page without changes writes nothing. An update replaces a row's payload as a whole,
/// except for members that only the device has and the configuration names (``ListConfiguration/localMembers``).
///
/// Rows are deleted after the last page, by a pass that saw the whole list: as many items as the server states. Where
/// it states no number, two walks have to see the same items. A row that keeps its place among the others on the server
/// throughout a pass is never deleted. This holds whatever is added or removed meanwhile, in whatever order the list
/// is, and however few items the server returns at a time. Only pages that cannot overlap are an exception; see
/// ``ListReport/hasOverlaps``. On a server where nothing changes, one pass makes both sides equal; for a pass that
/// would delete many rows, see ``ListConfiguration/Guard``.
///
/// During the first pass, and after it was interrupted, the resource is ready and its `Resource.syncedAt` is nil:
/// readers see the pages that arrived. A finished pass sets it; this is the list's mark, and the only thing that a pass
/// without changes writes. An interrupted later pass leaves it as it was: the list is complete as of then, and parts of
/// it are newer.
public final class ListReconciler: Sendable {
    private let store: Store
    private let configuration: ListConfiguration
    private let report: @Sendable (ListEvent) -> Void
    private let underWay = Mutex<Set<ResourceKey>>([])

    /// A reconciler of lists in a store.
    ///
    /// - Parameters:
    ///   - store: the store that holds the rows.
    ///   - configuration: the settings for reconciling.
    ///   - onEvent: called with the events of every pass, on any thread; must be quick.
    public init(
        store: Store, configuration: ListConfiguration = ListConfiguration(),
        onEvent: @escaping @Sendable (ListEvent) -> Void = { _ in }
    ) {
        self.store = store
        self.configuration = configuration
        report = onEvent
    }

    /// Walks the list, and walks it again when it moved meanwhile, as often as the configuration allows.
    ///
    /// - Parameters:
    ///   - resource: the resource of the rows.
    ///   - type: the type of the rows. Rows of other types are not changed.
    ///   - source: the source of the list's pages.
    /// - Throws: ``ListError/underWay(_:)`` during another pass over the resource; otherwise the reason the pass ended
    ///   early. Pages applied before stay.
    @discardableResult
    public func reconcile(
        _ resource: ResourceKey, type: String, from source: some PageSource
    ) async throws(ListError) -> ListReport {
        guard underWay.withLock({ $0.insert(resource).inserted }) else { throw .underWay(resource) }
        defer { _ = underWay.withLock { $0.remove(resource) } }
        let rows: ListRows
        let listPass: ListPass
        do {
            rows = try ListRows(
                store: store, resource: resource, type: type, localMembers: configuration.localMembers)
            listPass = try store.beginPass(over: resource)
        } catch {
            throw .store(error)
        }
        do throws(ListError) {
            let report = try await walk(rows, source)
            await store.endPass(listPass, isComplete: true)
            return report
        } catch {
            await store.endPass(listPass, isComplete: false)
            throw error
        }
    }

    private func walk(_ rows: ListRows, _ source: some PageSource) async throws(ListError) -> ListReport {
        do {
            return try await runPass(rows, source)
        } catch let error as ListError {
            throw error
        } catch is CancellationError {
            throw .cancelled
        } catch {
            throw .store(error)
        }
    }

    private func runPass(_ rows: ListRows, _ source: some PageSource) async throws -> ListReport {
        var result = ListReport(rows.resource)
        var walk = ListWalk(source.paging, configuration)
        var unconfirmed = store.suspectedDeletions(of: rows.resource, type: rows.type)
        report(.began(rows.resource))
        while let request = walk.request {
            try Task.checkCancellation()
            let page = try await Self.page(request, from: source, isProbe: walk.isProbing)
            result.requests += 1
            let restarts = walk.restarts
            try walk.step(page)
            // The list is not empty, so an earlier pass that missed many rows may have been wrong. Only this pass can
            // confirm it, and not for rows that any of its walks has seen.
            if !page.items.isEmpty { store.setSuspectedDeletions(nil, of: rows.resource, type: rows.type) }
            unconfirmed?.remove(page.items.lazy.map { SeenKeys.hash(of: $0.key) })
            let found = try rows.compare(page)
            result.rangeReads += 1
            let changes = ListChanges(page, found.rows)
            if !changes.isEmpty {
                try await rows.apply(page, found)
                result.writes += 1
                result.add(changes)
            }
            report(.page(rows.resource, request, changes))
            if walk.failure == nil, walk.restarts != restarts, let movement = walk.lastMovement {
                report(.moved(rows.resource, movement))
            }
            if walk.request == nil, walk.failure == nil {
                try await conclude(rows, &walk, unconfirmed, request, &result)
            }
        }
        if let failure = walk.failure { throw failure }
        try await rows.markComplete()
        result.walks = walk.walks
        result.hasOverlaps = !walk.isPlain
        report(.finished(result))
        return result
    }

    /// Deletes the rows that a walk over the whole list did not see, or starts another walk to confirm them.
    private func conclude(
        _ rows: ListRows, _ walk: inout ListWalk, _ unconfirmed: SuspectedDeletions?, _ request: PageRequest,
        _ result: inout ListReport
    ) async throws {
        let policy = configuration.protection.policy
        // One empty page proves little, and so does a walk whose pages do not overlap.
        if walk.isPlain || walk.seen.count == 0 && policy != .trust, !walk.isConfirmed { return walk.confirm() }
        let missing = try rows.missing(from: walk.seen)
        result.rangeReads += missing.reads
        guard !missing.hashes.isEmpty else {
            return store.setSuspectedDeletions(nil, of: rows.resource, type: rows.type)
        }
        if policy == .trust { return try await delete(missing.hashes, missing, rows, request, &result) }
        let isSuspicious = configuration.protection.isSuspicious(
            deletions: missing.hashes.count, ofRows: missing.rowCount)
        if !walk.isConfirmed, !isSuspicious || policy != .refuse { return walk.confirm() }
        guard isSuspicious else {
            store.setSuspectedDeletions(nil, of: rows.resource, type: rows.type)
            return try await delete(missing.hashes, missing, rows, request, &result)
        }
        let (deletions, count) = (missing.hashes.count, missing.rowCount)
        if policy == .refuse { throw ListError.refused(deletions: deletions, ofRows: count) }
        let now = store.host.elapsed()
        let (confirmed, rest) =
            unconfirmed?.confirm(missing.hashes, at: now, pause: configuration.protection.pause)
            ?? ([], SuspectedDeletions(missing.hashes, at: now))
        store.setSuspectedDeletions(rest, of: rows.resource, type: rows.type)
        if !confirmed.isEmpty { try await delete(confirmed, missing, rows, request, &result) }
        guard confirmed.count < deletions else { return }
        report(.unconfirmed(rows.resource, deletions: deletions - confirmed.count, ofRows: count))
        throw ListError.unconfirmed(deletions: deletions - confirmed.count, ofRows: count)
    }

    private func delete(
        _ hashes: [UInt64], _ missing: ListRows.Missing, _ rows: ListRows, _ request: PageRequest,
        _ result: inout ListReport
    ) async throws {
        var keys = SeenKeys()
        for hash in hashes { keys.insert(hash) }
        keys.sort()
        try await rows.delete(keys, from: missing.generation) { keys in
            var changes = ListChanges()
            changes.deleted = keys
            result.writes += 1
            result.add(changes)
            report(.page(rows.resource, request, changes))
        }
    }

    /// Returns one page.
    ///
    /// - Parameter isProbe: whether the page is after the last item: a server that refuses it because it does not exist
    ///   states that it is empty.
    private static func page(
        _ request: PageRequest, from source: some PageSource, isProbe: Bool
    ) async throws(ListError) -> ListPage {
        do {
            return try await source.page(request)
        } catch SyncError.refused(let problem) where isProbe && [204, 400, 404, 410, 416].contains(problem.status) {
            return ListPage(items: [])
        } catch {
            if case .cancelled = SyncError(error) { throw .cancelled }
            throw .source(error)
        }
    }
}
