// Proves that text of servers cannot forge messages of the log, or control a terminal that shows it.
import LarderFormat
import LarderStore
import Logging
import Testing

@Suite struct `Text in the log` {
    private let directory = TemporaryStore()
    private let messages = LogMessages()
    private let hostile = "a\nerror: forged\u{1B}[2J\u{9B}1m\u{202E}z"
    private let escaped = #"a\nerror: forged\u001b[2J\u009b1m\u202ez"#

    private var host: HostServices {
        var host = HostServices.test
        host.logger = messages.logger
        return host
    }

    @Test func `is escaped in messages and metadata, whatever logger the host supplies`() {
        var first = HostServices.test
        first.logger = messages.logger
        let made = HostServices(
            now: first.now, elapsed: first.elapsed, sleepUntil: first.sleepUntil, makeID: first.makeID,
            logger: messages.logger)
        for host in [first, made] {
            host.logger.warning(
                "\(hostile)",
                metadata: [
                    "list": ["\(hostile)", ["of": "\(hostile)"]],
                    "resource": .stringConvertible(ResourceKey(hostile, 1)),
                ])
        }
        let line = "\(escaped) list=[\"\(escaped)\", [\"of\": \"\(escaped)\"]] resource=\(escaped)/1"
        #expect(messages.lines.map { $0.replacing("\\\\", with: "\\") } == [line, line])
    }

    @Test func `keeps the level and the metadata of the host's logger`() {
        var host = host
        host.logger.logLevel = .error
        host.logger[metadataKey: "app"] = "words"
        host.logger.warning("not logged")
        #expect(messages.lines.isEmpty)
        #expect(host.logger.logLevel == .error && host.logger[metadataKey: "app"] == "words")
    }

    @Test func `is escaped where a damaged record has the name of a group`() async throws {
        let resource = ResourceKey(hostile, 1)
        let first = try directory.open()
        try await first.write { try $0.update(resource) { $0.snapshotPath = "/api/v4/x" } }
        try first.close()
        let raw = try RawStore(directory.path)
        let record = try #require(try raw.records().first { $0.table == .resources })
        var damaged = record
        damaged.value[damaged.value.count - 1] ^= 1
        try raw.replace([record], by: [damaged])
        try raw.close()
        let store = try Store.open(at: directory.path, host: host)
        _ = try await store.write { try $0.record(of: resource) }
        #expect(messages.lines.contains { $0.contains("resource=\(escaped)/1") })
        #expect(!messages.lines.contains { line in line.unicodeScalars.contains { $0.isControlOrFormat } })
        try store.close()
    }
}
