// FileEntries: an HTTP cache as apps write it themselves: a file for each response, its header fields before its body.

import Foundation
import HTTPTypes

/// An HTTP cache as apps write it themselves: a file for each response, with its header fields before its body.
///
/// A hit reads the file, parses the fields, and compares the age with `max-age`; variants are left out.
struct FileEntries {
    let folder: String

    func store(_ response: HTTPResponse, _ body: [UInt8], for address: String, now: Int64) throws {
        var head = "Stored-At: \(now)\n"
        for field in response.headerFields { head += "\(field.name.canonicalName): \(field.value)\n" }
        try Data(Array((head + "\n").utf8) + body).write(to: URL(filePath: path(address)))
    }

    /// Returns the stored fields and the body of a fresh response; nil when there is none.
    func response(for address: String, now: Int64) throws -> (fields: [String: String], body: [UInt8])? {
        guard let bytes = try read(path(address)) else { return nil }
        var fields: [String: String] = [:]
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")), end > rest.startIndex {
            let line = rest[..<end]
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
            let name = String(decoding: line[..<colon], as: UTF8.self)
            fields[name] = String(decoding: line[(colon + 2)...], as: UTF8.self)
            rest = rest[(end + 1)...]
        }
        guard let stored = fields["Stored-At"].flatMap({ Int64($0) }), let lifetime = lifetime(fields),
            now - stored < lifetime * 1_000
        else { return nil }
        return (fields, Array(rest.dropFirst()))
    }

    private func lifetime(_ fields: [String: String]) -> Int64? {
        let prefix = "max-age="
        for part in fields["cache-control", default: ""].split(separator: ",") {
            let directive = part.drop { $0 == " " }
            if directive.hasPrefix(prefix) { return Int64(directive.dropFirst(prefix.count)) }
        }
        return nil
    }

    private func path(_ address: String) -> String {
        // FNV-1a of 64 bits.
        let hash = address.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return folder + "/" + String(hash, radix: 16)
    }

    private func read(_ path: String) throws -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        if file < 0 { return nil }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw PeerError.code(errno) }
        let size = Int(status.st_size)
        return try [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            count = Foundation.read(file, buffer.baseAddress, size)
            if count != size { throw PeerError.code(errno) }
        }
    }
}
