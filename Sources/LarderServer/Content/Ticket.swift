/// The content of a token or a cursor, readable only by the server that made it; for clients it is opaque text.
///
/// Tickets carry their state, so the server stores none of them and any number may be in use.
package struct Ticket: Hashable {
    /// The use of a ticket.
    package enum Purpose: Hashable {
        /// A checkpoint: everything up to `bound` was sent.
        case token
        /// The next page of a first sync; resources above `position` are still to come.
        case bootstrap(position: Int64, pageSize: Int)
        /// The next page of a run; changes above `position` are still to come.
        case changes(position: Int64, pageSize: Int)
    }

    package let purpose: Purpose
    /// The number of the last change of the run.
    package let bound: Int64
    /// The epoch in which the ticket was made.
    package let epoch: Int64
    /// The canonical filter.
    package let filter: String

    /// A ticket of these parts.
    package init(purpose: Purpose, bound: Int64, epoch: Int64, filter: String) {
        self.purpose = purpose
        self.bound = bound
        self.epoch = epoch
        self.filter = filter
    }
}

extension TicketSigner {
    /// Returns a ticket as text of the URL-safe alphabet (RFC 4648 §5), without padding.
    package func text(of ticket: Ticket) -> String {
        let fields: [Int64]
        switch ticket.purpose {
        case .token: fields = [0, 0, 0]
        case .bootstrap(let position, let pageSize): fields = [1, position, Int64(pageSize)]
        case .changes(let position, let pageSize): fields = [2, position, Int64(pageSize)]
        }
        let numbers = (fields + [ticket.bound, ticket.epoch]).map { String($0) }
        let body = Array((numbers.joined(separator: " ") + " " + ticket.filter).utf8)
        var signed = Self.bytes(of: signature(of: body))
        signed.append(contentsOf: body)
        return Base64URL.encode(signed)
    }

    /// Parses a ticket, or returns `nil` for a text that ``text(of:)`` did not make under the same secret.
    package func ticket(_ text: String) -> Ticket? {
        guard let sealed = Base64URL.decode(text), sealed.count > 8 else { return nil }
        let body = Array(sealed[8...])
        guard ConstantTime.isEqual(sealed[..<8], to: Self.bytes(of: signature(of: body))) else { return nil }
        let parts = String(decoding: body, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
        let numbers = parts.prefix(5).compactMap { Int64($0) }
        guard parts.count == 6, numbers.count == 5, let pageSize = Int(exactly: numbers[2]) else { return nil }
        let purpose: Ticket.Purpose
        switch numbers[0] {
        case 0: purpose = .token
        case 1: purpose = .bootstrap(position: numbers[1], pageSize: pageSize)
        case 2: purpose = .changes(position: numbers[1], pageSize: pageSize)
        default: return nil
        }
        return Ticket(purpose: purpose, bound: numbers[3], epoch: numbers[4], filter: String(parts[5]))
    }

    private static func bytes(of signature: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: signature >> UInt64($0 * 8)) }
    }
}

/// Text of `A–Z a–z 0–9 - _`, without padding (RFC 4648 §5).
enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        var bits: UInt32 = 0
        var count: UInt32 = 0
        for byte in bytes {
            bits = (bits << 8 | UInt32(byte)) & 0xFFFF
            count += 8
            while count >= 6 {
                count -= 6
                text.append(alphabet[Int(bits >> count & 63)])
            }
        }
        if count > 0 { text.append(alphabet[Int(bits << (6 - count) & 63)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the bytes, or `nil` when `text` is not a result of ``encode(_:)``.
    static func decode(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var count: UInt32 = 0
        for character in text.utf8 {
            guard let value = value(of: character) else { return nil }
            bits = (bits << 6 | value) & 0xFFFF
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> count))
            }
        }
        // Six left-over bits, or any that are set, would allow several spellings of one ticket.
        guard count < 6, bits & (1 << count - 1) == 0 else { return nil }
        return bytes
    }

    private static func value(of character: UInt8) -> UInt32? {
        switch character {
        case 0x41...0x5A: UInt32(character - 0x41)
        case 0x61...0x7A: UInt32(character - 0x61) + 26
        case 0x30...0x39: UInt32(character - 0x30) + 52
        case 0x2D: 62
        case 0x5F: 63
        default: nil
        }
    }
}
