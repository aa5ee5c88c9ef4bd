#if Server && Postgres && AsyncHTTPClient
import Foundation
import FoundationNetworking
import Synchronization

/// The names of the writes that were durable, one in a line: a process that is killed loses none of them.
final class AcknowledgedWrites: Sendable {
    private let file: Mutex<FileHandle>

    init(_ path: String) throws {
        let directory = URL(fileURLWithPath: path).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        if !FileManager.default.fileExists(atPath: path) { try Data().write(to: URL(fileURLWithPath: path)) }
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try handle.seekToEnd()
        file = Mutex(handle)
    }

    func append(_ name: String) throws {
        try file.withLock { file in try file.write(contentsOf: Data((name + "\n").utf8)) }
    }
}

/// The times from the write of a note to its display on another client, in milliseconds.
final class Latencies: Sendable {
    private let values = Mutex<[Int64]>([])

    func add(_ milliseconds: Int64) { values.withLock { $0.append(milliseconds) } }

    /// The median and the 99th percentile.
    var summary: String {
        let sorted = values.withLock { $0.sorted() }
        guard !sorted.isEmpty else { return "write to other client: none" }
        let (half, most) = (sorted[sorted.count / 2], sorted[sorted.count * 99 / 100])
        return "write to other client: p50 \(half) ms, p99 \(most) ms, of \(sorted.count)"
    }
}

/// All notes of the origin, read page by page.
final class OriginContent: Sendable {
    private struct Page: Decodable {
        struct Item: Decodable {
            let id: String
            let text: String
            let at: Int64
        }

        let items: [Item]
        let has_more: Bool
    }

    private let base: String
    private let content = Mutex<[Int64: Set<Note>]>([:])

    init(base: String) { self.base = base }

    func notes(of resource: Int64) -> Set<Note> { content.withLock { $0[resource] ?? [] } }

    func refresh() async throws {
        for resource in Client.resources {
            var notes: Set<Note> = []
            var page = 0
            while let next = try await self.page(page, of: resource) {
                for item in next.items { notes.insert(Note(id: item.id, text: item.text, at: item.at)) }
                guard next.has_more else { break }
                page += 1
            }
            content.withLock { [notes] in $0[resource] = notes }
        }
    }

    /// A page of a resource's rows; nil where there is no such resource.
    private func page(_ number: Int, of resource: Int64) async throws -> Page? {
        guard let url = URL(string: "\(base)/api/lists/notes/\(resource)?page=\(number)&size=1000") else { return nil }
        for attempt in 1...50 {
            if let (data, response) = try? await URLSession.shared.data(from: url),
                let status = (response as? HTTPURLResponse)?.statusCode
            {
                if status == 200 { return try JSONDecoder().decode(Page.self, from: data) }
                if status == 404 { return nil }
            }
            try await Task.sleep(for: .milliseconds(100 * min(attempt, 10)))
        }
        throw URLError(.cannotConnectToHost)
    }
}
#endif
