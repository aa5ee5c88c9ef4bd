internal import LarderStore
internal import Synchronization

/// A query whose value is fetched page by page: a list that grows as the user scrolls.
///
/// All loaded pages are one value under one key, and one state for its observers. A fetch of the query fetches as many
/// pages as are loaded, one after another, each with the parameter that the page before it gives. So no row is missing
/// or doubled when the list has changed. When one of them fails, the value stays as it is.
///
/// ```swift
/// let feed = PagedQuery(cache, ["feed"], first: 1, next: { (page: FeedPage) in page.nextNumber }) { number in
///     try await fetchPage(number)
/// }
/// let shown = try await feed.value().value.flatMap(\.rows)
/// let more = try await feed.loadNext().value.flatMap(\.rows)
/// ```
public struct PagedQuery<Page: Codable & Sendable, Parameter: Sendable>: Sendable {
    private let cache: QueryCache
    private let key: QueryKey
    private let options: KeyedQueryOptions
    private let first: Parameter
    private let next: @Sendable (Page) -> Parameter?
    private let fetch: @Sendable (Parameter) async throws -> Page

    /// Creates a query of the pages under `key`; nothing is fetched yet.
    ///
    /// - Parameters:
    ///   - cache: the cache that keeps the pages.
    ///   - key: the key of all pages together.
    ///   - options: the options of the query as a whole; ``KeyedQueryOptions/retry`` holds for each page.
    ///   - first: the parameter of the first page.
    ///   - next: returns the parameter of the page after a page; nil where the list ends.
    ///   - fetch: fetches one page; as in ``QueryCache/value(for:options:fetch:)``.
    public init(
        _ cache: QueryCache, _ key: QueryKey, options: KeyedQueryOptions = KeyedQueryOptions(), first: Parameter,
        next: @escaping @Sendable (Page) -> Parameter?,
        fetch: @escaping @Sendable (Parameter) async throws -> Page
    ) {
        self.cache = cache
        self.key = key
        self.options = options
        self.first = first
        self.next = next
        self.fetch = fetch
    }

    /// Returns the pages loaded so far, at least the first, as ``QueryCache/value(for:options:fetch:)``.
    ///
    /// - Throws: as ``QueryCache/value(for:options:fetch:)``.
    public func value() async throws -> Queried<[Page]> {
        try await cache.value(for: key, options: whole, fetch: { try await load() })
    }

    /// Returns the state of the pages, now and after every change, as ``QueryCache/states(for:options:fetch:)``.
    public func states() -> some AsyncSequence<QueryState<[Page]>, Never> & Sendable {
        cache.states(for: key, options: whole, fetch: { try await load() })
    }

    /// Whether a page comes after these.
    public func hasNext(after pages: [Page]) -> Bool { pages.last.map { next($0) != nil } ?? true }

    /// Loads the page after the last loaded one, and returns all of them. At the end of the list, or when nothing is
    /// loaded yet, it returns ``value()``.
    ///
    /// Concurrent calls load one page. A fetch of the query that is under way is waited for. Earlier pages keep their
    /// age.
    ///
    /// - Throws: ``KeyedQueryError/disabled`` and ``KeyedQueryError/offline`` when no page may be fetched now; the
    ///   error of the fetch; `CancellationError`.
    public func loadNext() async throws -> Queried<[Page]> {
        await cache.restore(key, [Page].self, options)
        let pages = loaded
        if pages.isEmpty || !hasNext(after: pages) { return try await value() }
        if !options.isEnabled() { throw KeyedQueryError.disabled }
        if !options.mayFetch(isOnline: cache.isOnline()) { throw KeyedQueryError.offline }
        return try await cache.fetched(key, whole, .addition, after: 0) {
            // A fetch that was waited for may have left other pages, or removed them.
            let pages = loaded
            guard let last = pages.last else { return try await load() }
            guard let parameter = next(last) else { return pages }
            return pages + [try await page(parameter)]
        }
    }

    /// The options of a fetch of several pages: each page is retried by itself.
    private var whole: KeyedQueryOptions {
        var options = options
        options.retry = .none
        return options
    }

    private var loaded: [Page] { cache.entries.withLock { $0[key]?.value as? [Page] } ?? [] }

    private func page(_ parameter: Parameter) async throws -> Page {
        try await cache.retrying(options) { try await fetch(parameter) }
    }

    private func load() async throws -> [Page] {
        let count = loaded.count
        var pages = [try await page(first)]
        while pages.count < count, let parameter = pages.last.flatMap(next) { pages.append(try await page(parameter)) }
        return pages
    }
}
