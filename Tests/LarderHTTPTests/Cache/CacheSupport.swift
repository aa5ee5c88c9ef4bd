// TemporaryDirectory, a ticking clock and shorthands for the tests of response caches.

import Foundation
import HTTPTypes
import LarderFormat
import LarderHTTP
import LarderStore
import Logging
import Synchronization

/// A directory of its own, removed with the last reference.
final class TemporaryDirectory: Sendable {
    let path = FileManager.default.temporaryDirectory.path + "/larder-http-\(UUID().uuidString)"

    init() {
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}

extension HostServices {
    /// A host whose wall clock stands still.
    static let still = HostServices(
        now: { 1_700_000_000_000 },
        elapsed: { start.duration(to: .now) },
        sleepUntil: { try await Task.sleep(until: start.advanced(by: $0), clock: .continuous) },
        makeID: {
            var generator = SystemRandomNumberGenerator()
            return UUIDBytes.random(using: &generator)
        },
        logger: {
            var logger = Logger(label: "larder.test")
            logger.logLevel = .error
            return logger
        }())
}

extension HostServices {
    /// A host whose wall clock goes on by a millisecond whenever it is read.
    static func withTickingClock() -> HostServices {
        let clock = Ticker()
        var services = still
        services.now = { clock.next() }
        return services
    }
}

private final class Ticker: Sendable {
    private let time = Mutex<Int64>(1_700_000_000_000)

    func next() -> Int64 {
        time.withLock { time in
            time += 1
            return time
        }
    }
}

private let start = ContinuousClock.now

/// A response to keep.
func makeResponse(
    etag: String? = nil, language: String? = "de", receivedAt: Int64 = 1_700_000_000_000
) -> StoredResponse {
    var fields: HTTPFields = [.contentType: "text/plain", .cacheControl: "max-age=60"]
    fields[.eTag] = etag
    return StoredResponse(
        method: .get, url: "https://a.test/x", status: .ok, fields: fields, requestedAt: receivedAt - 5,
        receivedAt: receivedAt, selecting: [.init(name: "accept-language", value: language)])
}

extension ResponseWriter {
    func append(_ text: String) throws { try append(Array(text.utf8)[...]) }

    func append(_ bytes: ArraySlice<UInt8>) throws {
        let bytes = Array(bytes)
        try append(bytes.rawSpan)
    }
}

extension ResponseCache {
    /// Keeps a response whose body is a text.
    @discardableResult
    func store(
        _ response: StoredResponse, _ key: String, body: String, tags: Set<String> = [], isPinned: Bool = false
    ) async throws -> CachedResponse {
        let options = StorageOptions(tags: tags, isPinned: isPinned)
        let writer = try await write(response, for: key, options: options)
        try writer.append(body)
        return try await writer.finish(coverage: nil)
    }

    /// The bodies of what is kept under a key.
    func texts(_ key: String) async throws -> [String] {
        try await entries(for: key).map { try $0.text() }
    }
}

extension CachedResponse {
    func text() throws -> String { try body.text(0..<body.byteCount) }
}

extension BodySource {
    func text(_ range: Range<Int64>) throws -> String { String(decoding: try bytes(range), as: UTF8.self) }

    func bytes(_ range: Range<Int64>) throws -> [UInt8] {
        var all: [UInt8] = []
        try read(range) { all.append(copying: $0) }
        return all
    }
}
