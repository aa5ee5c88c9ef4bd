internal import LarderEngine
internal import LarderFormat

extension Verifier {
    /// Checks responses, their index and the numbers of their bodies. FORMAT.md, "Invariants".
    func verifyResponses(_ source: ReadTransaction) throws {
        // Responses of one cache key are adjacent.
        var variants: [ResponseRecord] = []
        try walk(.responses, source) { entry in
            guard let key = try key(of: entry, .responses, ResponseKey.init(decoding:)) else { return }
            switch key {
            case .response(let place):
                let location = "\(place.keyPrefix) variant \(place.variant)"
                guard let record = try record(of: entry, .responses, at: location, ResponseRecord.init(decoding:))
                else {
                    hasDamagedBlobOwners = true
                    return
                }
                try verifyResponse(record, at: place, location, source)
                if variants.last?.key.equalsBytewise(record.key) != true { variants = [] }
                if variants.contains(where: { $0.selecting == record.selecting }) {
                    try reportFinding(
                        .duplicate, in: .responses, at: location, "another response has the same selection")
                }
                variants.append(record)
            case .tag(let tag, let place):
                try verifyIndex(entry, at: place, "tag \(tag) of \(place.keyPrefix)", source) { record in
                    record.tags.contains { tables.texts.tag($0).equalsBytewise(tag) }
                }
            }
        }
    }

    private func verifyResponse(
        _ record: ResponseRecord, at place: ResponseAddress, _ location: String, _ source: ReadTransaction
    ) throws {
        if ResponseAddress(key: record.key, variant: place.variant, tables.texts) != place || place.variant < 1 {
            try reportFinding(.key, in: .responses, at: location, "the record is that of another cache key")
        }
        // Fields with other credential names, which earlier versions have stored, are no damage.
        if record.fields.contains(where: { CredentialFields.standardNames.contains($0.name.lowercased()) }) {
            try reportFinding(.undecodable, in: .responses, at: location, "the record holds credentials or cookies")
        }
        if let part = record.part, part.end - part.start != record.byteCount {
            try reportFinding(
                .count, in: .responses, at: location,
                "a body of \(record.byteCount) bytes, and a part of \(part.end - part.start)")
        }
        try addOwner(ofBlob: record.blob, byteCount: record.byteCount, in: .responses, at: location)
        for key in ResponseEntry(place: place, record: record).indexKeys(tables.texts) {
            try ignoringDamage {
                let found = try tables.record(.responses, in: source, as: ResponseIndexRecord.self) {
                    try key.append(to: &$0)
                }
                if found == nil {
                    try reportFinding(.index, in: .responses, at: location, "a tag of it is not in the index")
                }
            }
        }
    }

    private func verifyIndex(
        _ entry: borrowing Entry, at place: ResponseAddress, _ location: String, _ source: ReadTransaction,
        _ isNamed: (ResponseRecord) -> Bool
    ) throws {
        guard let index = try record(of: entry, .responses, at: location, ResponseIndexRecord.init(decoding:)) else {
            return
        }
        try ignoringDamage {
            guard let record = try tables.response(at: place, in: source) else {
                return try reportFinding(.index, in: .responses, at: location, "the response is not there")
            }
            if record.blob != index.blob || !isNamed(record) {
                try reportFinding(.index, in: .responses, at: location, "another response is stored there")
            }
        }
    }
}
