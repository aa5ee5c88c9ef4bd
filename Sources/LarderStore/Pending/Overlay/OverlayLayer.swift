package import LarderFormat
package import LarderJSON

/// What a row is: the server's, or what an overlay makes of it.
struct RowContent: Hashable, Sendable {
    var payload: [UInt8]
    var codec: PayloadCodec
    var updatedAt: Int64

    init(payload: [UInt8], codec: PayloadCodec, updatedAt: Int64) {
        self.payload = payload
        self.codec = codec
        self.updatedAt = updatedAt
    }

    /// A copy of a stored row.
    init(_ row: borrowing Row) {
        payload = [UInt8](copying: row.payload)
        codec = row.codec
        updatedAt = row.updatedAt
    }
}

/// A record of `overlay` as it lies in the store, copied.
struct OverlayLayer: Hashable, Sendable {
    let sequence: Int64
    var record: OverlayRecord
    /// The payload of the row it makes; empty without one.
    var payload: [UInt8]
    var codec: PayloadCodec

    /// The effect of a write that is pending.
    ///
    /// - Parameter base: what lies beneath.
    /// - Throws: ``StoreError/invalid(_:)`` for a payload beyond the format's limits, and a patch that is none.
    init(_ change: OverlayChange, sequence: Int64, updatedAt: Int64, base: RowContent?) throws(StoreError) {
        self.sequence = sequence
        payload = []
        codec = .opaque
        switch change {
        case .replacement(let payload, let codec):
            record = OverlayRecord(kind: .replacement, updatedAt: updatedAt)
            self.payload = payload
            self.codec = codec
        case .removal:
            record = OverlayRecord(kind: .tombstone, updatedAt: updatedAt)
        case .patch(let patch):
            record = OverlayRecord(kind: .patch, updatedAt: updatedAt)
            record.patch = patch
        }
        do throws(FormatError) {
            try Limits.check(payload: payload.count)
            if let patch = record.patch {
                try Limits.check(payload: patch.count)
                // A patch that is not JSON makes nothing of anything.
                if JSONMergePatch(patch) == nil { throw .invalidValue(field: "patch", value: Int64(patch.count)) }
            }
        } catch {
            throw .invalid(error)
        }
        if let base, base.codec == .json, base.payload.count <= Limits.basePayload {
            record.basePayload = base.payload
        }
        remake(over: base)
        do throws(FormatError) { try Limits.check(payload: payload.count) } catch { throw .invalid(error) }
    }

    /// Reads a stored record.
    init(key: RawSpan, value: RawSpan) throws(FormatError) {
        sequence = try OverlayKey.decode(key).sequence
        let body = try OverlayBody(body: try Record.open(value, key: key, seed: TableName.overlay.seed))
        record = body.record
        payload = [UInt8](copying: body.payload)
        codec = try RecordHeader.payloadCodec(in: value)
    }

    /// The row it makes, or nil.
    var content: RowContent? {
        record.makesRow ? RowContent(payload: payload, codec: codec, updatedAt: record.updatedAt) : nil
    }

    /// Makes a patch anew over what lies beneath it; does nothing to other changes.
    ///
    /// - Returns: whether it makes something else now.
    @discardableResult
    mutating func remake(over beneath: RowContent?) -> Bool {
        guard let patch = record.patch, let merge = JSONMergePatch(patch) else { return false }
        let before = (record.makesRow, payload, codec)
        payload = beneath.map { merge.merged(over: $0.payload, codec: $0.codec) } ?? []
        record.makesRow = beneath != nil
        codec = beneath == nil ? .opaque : .json
        return before != (record.makesRow, payload, codec)
    }

    /// The value to store under `key`.
    func sealed(key: [UInt8]) -> [UInt8] {
        Record.seal(
            body: record.encode(payload: payload.rawSpan).rawSpan, codec: codec.rawValue, key: key.rawSpan,
            seed: TableName.overlay.seed)
    }
}

/// An overlay that is about to be laid.
struct PreparedLayer: Sendable {
    let row: RowKey
    /// The key of its record.
    let key: [UInt8]
    let layer: OverlayLayer
}

/// A record of `overlay` where it lies, be it readable or not.
struct OverlayPlace: Sendable {
    let sequence: Int64
    let layer: Result<OverlayLayer, FormatError>

    /// Whether it is a patch, and readable.
    var isPatch: Bool {
        if case .success(let layer) = layer { layer.record.kind == .patch } else { false }
    }

    /// Reads what is stored under a key of that sequence.
    init(_ sequence: Int64, key: RawSpan, value: RawSpan) {
        self.sequence = sequence
        do throws(FormatError) { layer = .success(try OverlayLayer(key: key, value: value)) } catch {
            layer = .failure(error)
        }
    }
}

/// What lies beneath an overlay.
enum Beneath {
    /// A row, or none.
    case known(RowContent?)
    /// A record that is damaged, and nothing whole above it.
    case unknown(FormatError)
}

/// The overlays of one row, the lowest first.
struct OverlayStack: Sendable {
    let key: RowKey
    var places: [OverlayPlace] = []

    /// The lowest overlays, up to the first that is damaged: what lies above that is not released before it.
    var layers: [OverlayLayer] {
        var found: [OverlayLayer] = []
        for place in places {
            guard case .success(let layer) = place.layer else { break }
            found.append(layer)
        }
        return found
    }

    /// Whether what lies beneath the overlay of a sequence is patches and no more: they are as good as the server's row.
    func restsOnServer(_ sequence: Int64) -> Bool {
        places.prefix { $0.sequence < sequence }.allSatisfy(\.isPatch)
    }

    /// What lies beneath the overlay of a sequence; nil when that is what the server has.
    func beneath(_ sequence: Int64) -> Beneath? {
        var found: Beneath?
        for place in places where place.sequence < sequence {
            switch (place.layer, found) {
            case (.failure(let reason), _): found = .unknown(reason)
            // What a patch makes is known no better than what it was made of.
            case (.success(let layer), .unknown?) where layer.record.kind == .patch: break
            case (.success(let layer), _): found = .known(layer.content)
            }
        }
        return found
    }
}

extension JSONMergePatch {
    /// What it makes of a row's payload; one that is marked with another codec counts as an empty object.
    package func merged(over payload: [UInt8], codec: PayloadCodec) -> [UInt8] {
        merged(over: codec == .json ? payload.span : Span())
    }
}
