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
    /// Whether the rows were read; false only where that failed at once.
    public private(set) var isLoaded = false
    /// The error that ended the observation: the rows are the last ones that could be read.
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
            show(try changes.current())
        } catch {
            self.error = error
            return
        }
        following = Task { [weak self] in
            do {
                while let rows = try await changes.next() {
                    guard let self else { return }
                    self.show(rows)
                }
            } catch {
                self?.error = error
            }
        }
    }

    private func show(_ rows: [Row]) {
        self.rows = rows
        isLoaded = true
    }

    deinit { following?.cancel() }
}
