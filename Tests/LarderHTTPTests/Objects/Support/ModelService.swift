// ModelService: a line-based object format for tests: id, payload and references, separated by tabs.

import Foundation
import HTTPTypes
import LarderFormat
import LarderHTTP

/// A server's dialect for tests: one object per line, its parts apart by tabs.
///
/// A line is the id and the payload, then for each reference attribute, class, id and payload.
struct ModelService: ObjectService {
    struct NotALine: Error {}
    struct NoToken: Error {}

    /// Host and port.
    var authority = "objects.test"
    /// Whether requests can be made.
    var hasToken = true

    var codec: PayloadCodec { .json }

    func path(of query: ObjectQuery) throws -> String {
        switch query {
        case .object(let name): return "/\(name.className)/\(name.id)"
        case .collection(let name):
            var path = "/\(name.className)"
            if let reference = name.reference {
                path = "/\(reference.row.type)/\(reference.row.key)/\(reference.attribute)"
            }
            if name.query.isEmpty { return path }
            return path + "?q=" + (name.query.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")
        case .file(let file): return "/\(file.object.className)/\(file.object.id)/\(file.attribute)/content"
        }
    }

    func target(of write: ObjectWrite) throws -> (method: HTTPRequest.Method, path: String) {
        switch write {
        case .create(let name): (.post, "/\(name.className)")
        case .save(let name): (.put, try path(of: .object(name)))
        case .delete(let name): (.delete, try path(of: .object(name)))
        case .upload(let file): (.put, try path(of: .file(file)))
        }
    }

    func request(_ method: HTTPRequest.Method, _ path: String) throws -> HTTPRequest {
        if !hasToken { throw NoToken() }
        return HTTPRequest(method: method, scheme: "http", authority: authority, path: path)
    }

    func objects(in body: [UInt8], answering query: ObjectQuery) throws -> [ReceivedObject] {
        try String(decoding: body, as: UTF8.self).split(separator: "\n").map { line in
            let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard parts.count >= 2, (parts.count - 2) % 4 == 0 else { throw NotALine() }
            var object = ReceivedObject(id: parts[0], payload: Array(parts[1].utf8))
            for start in stride(from: 2, to: parts.count, by: 4) {
                object.references.append(
                    ReceivedObject.References(
                        attribute: parts[start], className: parts[start + 1],
                        objects: [ReceivedObject(id: parts[start + 2], payload: Array(parts[start + 3].utf8))]))
            }
            return object
        }
    }
}
