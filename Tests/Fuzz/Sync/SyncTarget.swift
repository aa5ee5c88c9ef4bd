// Proves for any bytes: what a server sends is read without a trap, and a snapshot the same in chunks of any size.

import LarderFormat
import LarderSync

enum FuzzTarget {
    static let seeds: [[UInt8]] = [
        """
        \u{0}{"sync":{"sync_until_sequence":9,"has_more":false,"next_page_url":null,"next_sync_token":"t","mutations":[
        {"sequence":5,"type":"ROW_UPDATE","resource_group":"tafsirs","resource_id":1,"record_type":"tafsir",
        "record_key":"7","changed_at":"2024-01-01T00:00:00Z","data":{"id":7}}]}}
        """,
        """
        \u{1}\u{3}{"resource_group":"tafsirs","resource_id":1,"resource_content_id":2,"schema_version":1,
        "sync_sequence":9,"records":[{"id":7,"text":"é"},{"id":"a","record_type":"t","record_key":"k"}]}
        """,
        "\u{2}tafsirs:*;translations:19,20", "\u{3}/api/v4/sync?filter=a%3A1", "\u{3}/api/v4/a%2e/b",
        "\u{4}{\"error\":{\"code\":\"gone\",\"message\":\"later\"}}", "\u{4}{\"type\":\"a\",\"message\":\"b\"}",
    ].map { Array($0.utf8) }

    static func run(_ input: [UInt8]) {
        var input = FuzzedBytes(input)
        switch input.byte() % 5 {
        case 0:
            guard let page = try? SyncPage(decoding: input.remainder()) else { return }
            guard let last = try? page.validateOrder(after: nil) else { return }
            require(last <= page.syncUntilSequence, "a change is behind the end of its run")
        case 1: checkSnapshot(&input)
        case 2:
            guard let filter = try? ResourceFilter(String(decoding: input.remainder(), as: UTF8.self)) else { return }
            require((try? ResourceFilter("\(filter)")) == filter, "\(filter) is read as another filter")
            for key in filter.namedResources { require(filter.matches(group: key.group, id: key.id), "\(key)") }
        case 3:
            guard let path = try? ServerPath(String(decoding: input.remainder(), as: UTF8.self)) else { return }
            require(path.text.hasPrefix(ServerPath.prefix) && !path.text.utf8.contains(0x5C), "\(path.text)")
        default:
            let problem = ServerProblem(status: 400, body: input.remainder())
            require(problem.message.unicodeScalars.count <= 500, "a message is too long")
        }
    }

    /// Compares a snapshot in one piece with the same in chunks.
    private static func checkSnapshot(_ input: inout FuzzedBytes) {
        let size = 1 + input.number(below: 16)
        let body = input.remainder()
        let (whole, parts) = (records(body, by: max(body.count, 1)), records(body, by: size))
        require(whole.records == parts.records, "chunks have other records")
        require(whole.header == parts.header, "chunks have another header")
    }

    private static func records(_ body: [UInt8], by size: Int) -> (records: [[UInt8]], header: SnapshotHeader?) {
        var parser = SnapshotParser(capturing: ["lang"])
        var records: [[UInt8]] = []
        do throws(WireError) {
            for start in stride(from: 0, to: body.count, by: size) {
                let chunk = Array(body[start..<min(start + size, body.count)])
                var position = 0
                while try parser.next(in: chunk, at: &position) { records.append(parser.record.bytes) }
            }
            let header = try parser.finish()
            require(header.recordCount == records.count, "a snapshot of \(records.count) records has another count")
            return (records, header)
        } catch {
            return (records, nil)
        }
    }
}
