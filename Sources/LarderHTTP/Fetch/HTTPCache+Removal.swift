// Removal and invalidation, in every cache where responses are stored.
extension HTTPCache {
    /// Invalidates the responses stored under a key: each is validated before its next use.
    ///
    /// Where the server cannot be reached, they are used as other stale responses are; ``remove(_:)`` removes them.
    /// Answers under way are not stored under the key.
    ///
    /// - Parameter key: a custom key, or a target URI with its host in lower case.
    /// - Throws: as ``ResponseCache/invalidate(_:)`` of the caches.
    public func invalidate(_ key: String) async throws {
        flights.forbidStorage { $0.cacheKey == key }
        try await persistent?.invalidate(key)
        try await memory?.invalidate(key)
    }

    /// Removes responses by key, prefix or tag, and returns their number.
    ///
    /// Answers under way that match `selection` are not stored.
    ///
    /// - Throws: as ``ResponseCache/remove(_:)`` of the caches.
    @discardableResult
    public func remove(_ selection: CacheSelection) async throws -> Int {
        flights.forbidStorage { selection.matches($0) }
        let persisted = try await persistent?.remove(selection) ?? 0
        return persisted + (try await memory?.remove(selection) ?? 0)
    }

    /// Ends every exchange and removes every response, as signing out requires.
    ///
    /// - Throws: as ``remove(_:)``.
    public func clear() async throws {
        await flights.cancelAll(isLast: false)
        try await remove(.all)
    }

    /// Invalidates the responses that an unsafe request may have changed. RFC 9111 §4.4. Failures are logged.
    func markInvalid(_ key: String, except flight: Flight) async {
        flights.forbidStorage { $0.cacheKey == key && $0 !== flight }
        for cache in [persistent, memory] {
            do {
                try await cache?.invalidate(key)
            } catch {
                log("could not invalidate a stored response", error)
            }
        }
    }
}

extension CacheSelection {
    fileprivate func matches(_ flight: Flight) -> Bool {
        switch self {
        case .key(let key): flight.cacheKey == key
        case .prefix(let prefix): flight.cacheKey.utf8.starts(with: prefix.utf8)
        case .tag(let tag): flight.tags.contains(tag)
        case .all: true
        }
    }
}
