internal import LarderEngine
internal import LarderFormat

/// The content of `blobs` that was found of one blob.
struct BlobContent {
    /// The record of the blob; nil when it could not be read.
    var record: BlobRecord?
    /// The number of chunks found, which is the number that the next one should have.
    var chunks: Int64 = 0
    var digest: UInt64 = 0
    /// The number of records that name it.
    var owners = 0
}

extension Verifier {
    /// Adds a record that names a blob as its body. FORMAT.md, "Invariants".
    func addOwner(
        ofBlob number: Int64, byteCount: Int64, in name: TableName, at location: String
    ) throws(CallbackError) {
        if number < 1 { return try reportFinding(.pointer, in: name, at: location, "blobs are counted from 1") }
        highest.blob = max(highest.blob, number)
        blobOwners.append(BlobOwner(blob: number, byteCount: byteCount, table: name, location: location))
    }

    /// Checks heads and chunks, each by itself; a chunk's number and length only if its blob's head can be read.
    /// FORMAT.md, "Invariants".
    func verifyBlobs(_ source: ReadTransaction) throws {
        try walk(.blobs, source) { entry in
            guard let key = try key(of: entry, .blobs, BlobKey.init(decoding:)) else { return }
            switch key {
            case .head(let number):
                try checkPositive(number, in: .blobs, at: "blob \(number)")
                highest.blob = max(highest.blob, number)
                let record = try record(of: entry, .blobs, at: "blob \(number)", BlobRecord.init(decoding:))
                blobs[number] = BlobContent(record: record)
            case .chunk(let blob, let number):
                try verifyChunk(entry, number, of: blob)
            }
        }
    }

    private func verifyChunk(_ entry: borrowing Entry, _ number: Int64, of blob: Int64) throws {
        let location = "chunk \(number) of blob \(blob)"
        highest.blob = max(highest.blob, blob)
        let byteCount: Int
        do throws(FormatError) {
            byteCount = try Record.open(
                entry.value, key: entry.key, seed: TableName.blobs.seed, codec: PayloadCodec.opaque.rawValue
            ).byteCount
        } catch {
            try reportDamage(error, in: .blobs, at: location)
            blobs[blob]?.chunks += 1
            return
        }
        guard var content = blobs[blob] else {
            if isGarbage(.blob, blob) || isGarbage(.stagedBlob, blob) || broken.contains(.garbage) { return }
            return try reportFinding(.orphan, in: .blobs, at: location, "the blob has no record")
        }
        defer { blobs[blob] = content }
        let expected = content.chunks
        content.chunks += 1
        if let checksum = try? Record.checksum(of: entry.value) { content.digest &+= checksum }
        guard let record = content.record else { return }
        if number != expected {
            try reportFinding(.order, in: .blobs, at: location, "chunk \(expected) of the blob was expected")
        }
        let wanted = number < record.chunkCount ? record.range(ofChunk: number).count : 0
        if byteCount != wanted {
            try reportFinding(.count, in: .blobs, at: location, "\(byteCount) bytes, where there are to be \(wanted)")
        }
    }

    /// Compares blobs with their chunks and the records that name them. FORMAT.md, "Invariants".
    func compareBlobs() throws {
        if broken.contains(.blobs) { return }
        for owner in blobOwners {
            blobs[owner.blob]?.owners += 1
            try compare(owner)
        }
        for (number, content) in blobs.sorted(by: { $0.key < $1.key }) {
            guard let record = content.record else { continue }
            let location = "blob \(number)"
            try compare(record.chunkCount, content.chunks, "chunks", in: .blobs, at: location)
            if content.digest != record.digest {
                try reportFinding(.digest, in: .blobs, at: location, "the chunks are not those that were written")
            }
            if content.owners > 1 {
                try reportFinding(.duplicate, in: .blobs, at: location, "\(content.owners) records name it")
            }
            if content.owners == 0, !hasDamagedBlobOwners, broken.isEmpty {
                try reportFinding(.orphan, in: .blobs, at: location, "no record names it")
            }
        }
    }

    private func compare(_ owner: BlobOwner) throws(CallbackError) {
        guard let content = blobs[owner.blob] else {
            return try reportFinding(
                .pointer, in: owner.table, at: owner.location, "its blob \(owner.blob) is not there")
        }
        guard let record = content.record else { return }
        if record.byteCount != owner.byteCount {
            try reportFinding(
                .count, in: owner.table, at: owner.location,
                "\(owner.byteCount) bytes recorded, \(record.byteCount) in its blob")
        }
    }
}

/// A record that names a blob.
struct BlobOwner {
    let blob: Int64
    let byteCount: Int64
    let table: TableName
    let location: String
}
