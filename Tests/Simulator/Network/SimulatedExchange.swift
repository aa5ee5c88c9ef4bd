// SimulatedExchange: what a client gets to see of one exchange, and when, in milliseconds of virtual time after it sent the request.

package import LarderTransport

/// What a client gets to see of one exchange, and when, in milliseconds of virtual time after it sent the request.
package struct SimulatedExchange: Sendable {
    /// How an exchange ends.
    package enum Ending: Equatable, Sendable {
        /// The body has ended as far as the connection shows.
        case whole
        /// The exchange fails.
        case failed(TransportError)
        /// Nothing more ever comes: the client's own limit ends it.
        case stalled
    }

    /// A part of the body.
    package struct Chunk: Hashable, Sendable {
        /// When it comes; never before what comes ahead of it.
        package let after: Int64
        /// The bytes; at least one.
        package let bytes: [UInt8]
    }

    /// What was asked for.
    package let target: String
    /// What went wrong, if something did.
    package internal(set) var fault: NetworkFault?
    /// By how many changes the replica that answered was behind.
    package internal(set) var lag: Int64 = 0
    /// When the head comes; `nil` when it never does, and then there is no status either.
    package internal(set) var headAfter: Int64?
    /// The HTTP status; `nil` without a head.
    package internal(set) var status: Int?
    /// The header fields, names in lower case.
    package internal(set) var headers: [(name: String, value: String)] = []
    /// The body as far as it comes.
    package internal(set) var chunks: [Chunk] = []
    /// How it ends.
    package internal(set) var ending = Ending.whole
    /// When it ends; `nil` when it stalls.
    package internal(set) var endsAfter: Int64?

    init(target: String) { self.target = target }

    /// The body as far as it comes, in one piece.
    package var body: [UInt8] {
        chunks.count == 1 ? chunks[0].bytes : chunks.flatMap(\.bytes)
    }

    /// The value of a header field, by its name in lower case.
    package func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}

extension SimulatedExchange: CustomStringConvertible {
    /// One line for a trace: whatever differs from run to run would differ here.
    package var description: String {
        var text = "GET \(target): "
        text += status.map { String($0) } ?? "no head"
        for chunk in chunks {
            text += " +\(chunk.bytes.count) at \(chunk.after)"
        }
        switch ending {
        case .whole: text += ", whole"
        case .failed: text += ", failed"
        case .stalled: text += ", stalled"
        }
        if let endsAfter { text += " at \(endsAfter)" }
        if lag > 0 { text += ", lag \(lag)" }
        if let fault { text += ", \(fault)" }
        return text
    }
}
