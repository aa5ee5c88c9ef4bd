/// The requests that clients have sent in their present windows, for a bounded number of clients.
struct RateWindows {
    private struct Window {
        var start: Int64
        var count: Int

        /// The milliseconds until the window ends; nil when it has ended, or the clock was moved back.
        func remaining(of length: Int64, at now: Int64) -> Int64? {
            guard now >= start, now - start < length else { return nil }
            return length - (now - start)
        }
    }

    private var windows: [UInt64: Window] = [:]
    /// The window of all clients that have none of their own.
    private var shared: Window?
    /// The time before which no window has ended, and none is looked for.
    private var nextEnd = Int64.min

    /// Counts a request of a client.
    ///
    /// - Returns: nil when it is served; otherwise the milliseconds until the client's window ends.
    /// - Complexity: O(1); once in the shortest rest of a window, O(*n*) for *n* clients with one.
    mutating func wait(of client: UInt64, _ limit: OriginConfiguration.RateLimit, at now: Int64) -> Int64? {
        let length = Int64(limit.seconds) * 1000
        if windows[client] == nil, windows.count >= limit.clients { removeEnded(length, at: now) }
        guard windows[client] != nil || windows.count < limit.clients else {
            return Self.count(&shared, limit, length, at: now)
        }
        return Self.count(&windows[client], limit, length, at: now)
    }

    private mutating func removeEnded(_ length: Int64, at now: Int64) {
        // A clock that was moved back by more than a window has ended all.
        guard now >= nextEnd || nextEnd - now > length else { return }
        windows = windows.filter { $0.value.remaining(of: length, at: now) != nil }
        nextEnd = now + (windows.values.compactMap { $0.remaining(of: length, at: now) }.min() ?? 0)
    }

    private static func count(
        _ window: inout Window?, _ limit: OriginConfiguration.RateLimit, _ length: Int64, at now: Int64
    ) -> Int64? {
        guard var current = window, let rest = current.remaining(of: length, at: now) else {
            window = Window(start: now, count: 1)
            return limit.requests >= 1 ? nil : length
        }
        current.count += current.count <= limit.requests ? 1 : 0
        window = current
        return current.count <= limit.requests ? nil : rest
    }
}
