public import Larder
public import Observation

/// The rows of a resource or of a condition, as a value that a user interface observes.
///
/// It holds the stored rows from its creation on, and the newest after every change while it lives. It works with SwiftUI
/// and with anything else that uses Observation; keep it where the view keeps its state.
///
/// ```swift
/// let notes = ObservedRows(cache, Note.self)
/// print(notes.rows.count)  // now; observers are notified of every change
/// ```
@MainActor @Observable
public final class ObservedRows<Row: CachedRow> {
    /// The rows.
    public private(set) var rows: [Row] = []
    /// Whether rows could be read yet.
    public private(set) var isLoaded = false
    /// The reason the newest rows could not be read; the rows are the last ones that could. A payload that does not
    /// decode (`RowError`) is followed by the next change, any other error ends the observation.
    public private(set) var error: (any Error)?
    @ObservationIgnored private var following: Task<Void, Never>?

    /// Observes rows of a resource, in the order of their keys; see
    /// `ContentCache.observe(_:in:keys:reversed:limit:)`.
    ///
    /// - Precondition: The resource is in the scope of the schema, and given where that is a group.
    public convenience init(
        _ cache: ContentCache, _ type: Row.Type = Row.self, in resource: ResourceKey? = nil, keys: KeyRange = .all,
        reversed: Bool = false, limit: Int = .max
    ) {
        self.init(cache.observe(type, in: resource, keys: keys, reversed: reversed, limit: limit))
    }

    /// Observes the rows that fulfil a condition; see `ContentCache.observe(_:in:where:order:limit:)`.
    ///
    /// - Precondition: The cache was opened with `Row` among its rows.
    public convenience init(
        _ cache: ContentCache, _ type: Row.Type = Row.self, in resource: ResourceKey? = nil,
        where condition: SQLCondition, order: String? = nil, limit: Int? = nil
    ) {
        self.init(cache.observe(type, in: resource, where: condition, order: order, limit: limit))
    }

    private init(_ values: RowValues<Row>) {
        var changes = values.makeAsyncIterator()
        do {
            // Read here, so that a view shows its rows from the first frame on.
            rows = try changes.current()
            isLoaded = true
        } catch {
            self.error = error
            if !(error is RowError) { return }
        }
        // Later values are read and decoded off the main actor.
        following = Task { @concurrent [weak self] in
            while !Task.isCancelled {
                do {
                    guard let rows = try await changes.next() else { return }
                    await self?.show(rows)
                } catch {
                    await self?.show(error)
                    if !(error is RowError) { return }
                }
            }
        }
    }

    private func show(_ rows: [Row]) {
        self.rows = rows
        isLoaded = true
        error = nil
    }

    private func show(_ error: any Error) { self.error = error }

    deinit { following?.cancel() }
}
