internal import LarderStore
internal import Synchronization

/// One pass over a list, in place of a run.
struct ListRun: Sendable {
    let list: PagedList
    let store: Store
    let report: @Sendable (SyncEvent) -> Void

    /// Reconciles the list, and reports it like a run that requests changes.
    func execute() async throws(SyncError) -> SyncReport {
        do { try await store.restoreSyncState(for: nil) } catch { throw SyncError(error) }
        let text = list.filter.description
        let pages = Mutex(0)
        let reconciler = ListReconciler(store: store, configuration: list.configuration) { event in
            switch event {
            case .began: report(.began(filter: text, kind: .incremental))
            case .page(_, _, let changes):
                let number = pages.withLock { pages in
                    pages += 1
                    return pages
                }
                report(
                    .page(
                        number: number, mutations: changes.created.count + changes.updated.count + changes.deleted.count
                    ))
            case .unconfirmed, .moved, .finished: break
            }
        }
        let listReport: ListReport
        do throws(ListError) {
            listReport = try await reconciler.reconcile(list.resource, type: list.type, from: list.source)
        } catch {
            throw SyncError(error)
        }
        var result = SyncReport(filter: text, kind: .incremental)
        result.pages = listReport.requests
        result.rowsChanged = listReport.created + listReport.updated + listReport.deleted
        result.mutations = result.rowsChanged
        report(.finished(result))
        return result
    }
}
