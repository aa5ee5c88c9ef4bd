// PlainServer: an HTTP server on 127.0.0.1 that returns the bytes a function gives.

import Foundation
import Synchronization

/// Answers HTTP requests on 127.0.0.1 with the bytes that a function gives; one request per connection, at most 200.
final class PlainServer: Sendable {
    /// A request as it came.
    struct Request: Sendable {
        var head: [UInt8]
        var body: [UInt8]

        var text: String { String(decoding: head, as: UTF8.self) }
        var line: String { text.split(separator: "\r\n").first.map(String.init) ?? "" }

        /// The values of a field, by its name in any case.
        func values(_ name: String) -> [String] {
            text.split(separator: "\r\n").dropFirst().compactMap { line in
                let parts = line.split(separator: ":", maxSplits: 1)
                guard parts.count == 2, parts[0].lowercased() == name.lowercased() else { return nil }
                return parts[1].trimmingCharacters(in: .whitespaces)
            }
        }
    }

    let port: UInt16
    private let listener: Int32
    private let log = Mutex<[Request]>([])
    private let answer: @Sendable (Request, Int) -> [UInt8]

    /// - Parameter answer: the bytes for a request and its number, 1 for the first.
    init(_ answer: @escaping @Sendable (Request, Int) -> [UInt8]) throws {
        self.answer = answer
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let (listener, size) = (listener, length)
        let code = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe bind(listener, pointer, size) == 0 ? getsockname(listener, pointer, &length) : -1
            }
        }
        guard code == 0, listen(listener, 64) == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
        port = UInt16(bigEndian: address.sin_port)
        Thread { [weak self] in
            for _ in 0..<200 {
                let connection = accept(listener, nil, nil)
                guard connection >= 0, let self else { return }
                Thread.detachNewThread { self.serve(connection) }
            }
        }.start()
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    var requests: [Request] { log.withLock { $0 } }

    func url(_ path: String = "/a") -> String { "http://127.0.0.1:\(port)\(path)" }

    private func serve(_ connection: Int32) {
        defer { close(connection) }
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8), head.count < 65_536 {
            guard let byte = next(connection) else { return }
            head.append(byte)
        }
        var request = Request(head: head, body: [])
        for _ in 0..<(request.values("content-length").first.flatMap { Int($0) } ?? 0) {
            guard let byte = next(connection) else { return }
            request.body.append(byte)
        }
        let number = log.withLock { log in
            log.append(request)
            return log.count
        }
        let bytes = answer(request, number)
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe send(connection, buffer.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { return }
            sent += count
        }
    }

    private func next(_ connection: Int32) -> UInt8? {
        var byte: UInt8 = 0
        return unsafe read(connection, &byte, 1) == 1 ? byte : nil
    }
}

/// The bytes of an answer, with its length and `Connection: close`.
func plain(_ status: String = "200 OK", _ fields: [String] = [], _ body: String = "hello") -> [UInt8] {
    let head = ["HTTP/1.1 \(status)"] + fields + ["Content-Length: \(body.utf8.count)", "Connection: close"]
    return Array((head.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
}
