public import LarderFormat
public import LarderStore
internal import LarderTransport
internal import Synchronization

/// Brings rows in step with a server that offers nothing but pages of a list in a stable order.
///
/// A reconciled list is a resource like any other: its rows lie under (group, id, type). No filter may cover it, or the
/// sweeps of both would work against each other. One call is one pass over the list:
///
/// ```swift
/// let lists = ListReconciler(store: store)
/// try await lists.reconcile(ResourceKey("users", 1), type: "user", from: source)
/// ```
///
/// Each page is compared with the rows in one range read, and what differs is written in one commit, deletions first: a
/// reader never sees half a page applied, and a page without changes writes nothing. A row is deleted only when one
/// answer of the server shows that it is not there; a row that is on the server throughout a pass is never deleted,
/// whatever comes and goes meanwhile. On a server where nothing changes, one pass makes both sides equal.
///
/// While the first pass is under way, or after it was interrupted, the resource is ready and its ``Resource/syncedAt``
/// is nil: readers see the pages that came. A finished pass sets it, which is the list's mark and the only thing that a
/// pass without changes writes. An interrupted later pass leaves it as it was: the list is whole as of then, and parts of
/// it are newer.
public final class ListReconciler: Sendable {
    private let store: Store
    private let configuration: ListConfiguration
    private let report: @Sendable (ListEvent) -> Void
    private let underWay = Mutex<Set<ResourceKey>>([])

    /// - Parameter onEvent: told what happens in every pass, on whatever thread it happens; must be quick.
    public init(
        store: Store, configuration: ListConfiguration = ListConfiguration(),
        onEvent: @escaping @Sendable (ListEvent) -> Void = { _ in }
    ) {
        self.store = store
        self.configuration = configuration
        report = onEvent
    }

    /// Walks the list once, and once more when it moved meanwhile, as often as the configuration allows.
    ///
    /// - Parameters:
    ///   - resource: where the rows are.
    ///   - type: the type of the rows. Rows of other types are left alone.
    /// - Throws: the reason why the pass ended early; pages applied before stay.
    @discardableResult
    public func reconcile(
        _ resource: ResourceKey, type: String, from source: some PageSource
    ) async throws(ListError) -> ListReport {
        guard underWay.withLock({ $0.insert(resource).inserted }) else { throw .underWay(resource) }
        defer { _ = underWay.withLock { $0.remove(resource) } }
        let rows = ListRows(store: store, resource: resource, type: type)
        let noted: ListPass
        do { noted = try store.beginPass(over: resource) } catch { throw .store(error) }
        do throws(ListError) {
            let report = try await walk(rows, source)
            await store.end(noted, isWhole: true)
            return report
        } catch {
            await store.end(noted, isWhole: false)
            throw error
        }
    }

    private func walk(_ rows: ListRows, _ source: some PageSource) async throws(ListError) -> ListReport {
        do {
            return try await pass(rows, source)
        } catch let error as ListError {
            throw error
        } catch is CancellationError {
            throw .cancelled
        } catch {
            throw .store(error)
        }
    }

    private func pass(_ rows: ListRows, _ source: some PageSource) async throws -> ListReport {
        var result = ListReport(rows.resource)
        var walk = ListWalk(source.paging, configuration)
        report(.began(rows.resource))
        while let request = walk.request {
            try Task.checkCancellation()
            let page = try await Self.page(request, from: source)
            result.requests += 1
            let (walks, doubt) = (walk.walks, walk.doubt)
            var found = ListRows.Found()
            if let range = try walk.range(for: page) {
                found = try rows.compare(range, with: page, countingBeyond: configuration.protection.minimum)
                result.rangeReads += 1
            }
            let changes = try walk.step(page, found.rows, rowCount: found.count)
            if !changes.isEmpty {
                try await rows.apply(changes, of: page, to: found.generation)
                result.writes += 1
                result.add(changes)
            }
            if let new = walk.doubt, new != doubt {
                report(.doubted(rows.resource, deletions: new.deletions, ofRows: new.rows))
            } else {
                report(.page(rows.resource, request, changes))
            }
            if walk.walks != walks, let movement = walk.lastMovement { report(.moved(rows.resource, movement)) }
        }
        if let failure = walk.failure { throw failure }
        try await rows.noteWhole()
        result.walks = walk.walks
        report(.finished(result))
        return result
    }

    private static func page(_ request: PageRequest, from source: some PageSource) async throws(ListError) -> ListPage {
        do {
            return try await source.page(request)
        } catch is CancellationError {
            throw .cancelled
        } catch TransportError.cancelled {
            throw .cancelled
        } catch SyncError.cancelled {
            throw .cancelled
        } catch {
            throw .source(error)
        }
    }
}
