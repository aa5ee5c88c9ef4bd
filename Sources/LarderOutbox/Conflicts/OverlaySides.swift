internal import LarderFormat
internal import LarderStore

extension Overlay {
    /// The payload of the row it makes, or nil when it makes none.
    var payload: [UInt8]? {
        if case .replacement(let payload, _) = change { payload } else { nil }
    }
}

extension Outbox {
    /// What the row was that an overlay was made from, where that is known.
    static func basePayload(of overlay: Overlay, _ view: borrowing ReadView) throws -> [UInt8]? {
        guard let row = try view.serverRow(at: overlay.key) else { return nil }
        return [UInt8](copying: row.payload)
    }
}

extension Transaction {
    /// Confirms an overlay that was changed, as it was.
    mutating func confirm(_ overlay: Overlay) throws {
        guard overlay.isConfirmed else { return }
        try confirmOverlay(at: overlay.key, sequence: overlay.sequence)
    }
}
