internal import LarderEngine
internal import LarderFormat
internal import Synchronization

/// The compression of the rows of one open file, with the dictionaries that were loaded.
final class RowCompression: ValueDecompressor {
    private let compression: StoreCompression
    /// The compressors by the numbers of their dictionaries. A committed number is never assigned again, and no row has
    /// one before it is committed, so none becomes outdated.
    private let dictionaries = Mutex<[UInt32: any RowCompressor]>([:])
    /// Whether the file is marked as one with compressed rows, so that rows may be compressed.
    private let isEnabled = Atomic(false)

    init(_ compression: StoreCompression) { self.compression = compression }

    var codec: any RowCodec { compression.codec }

    /// Whether any group is to be compressed.
    var hasGroups: Bool { !compression.groups.isEmpty }

    /// Allows rows to be compressed from now on.
    func enable() { isEnabled.store(true, ordering: .relaxed) }

    /// Whether the rows of a group are compressed when they are written.
    func compresses(_ group: String) -> Bool {
        isEnabled.load(ordering: .relaxed) && compression.groups.contains { $0.equalsBytewise(group) }
    }

    // MARK: Values

    var tables: (compressed: String, records: String) { (TableName.rows.rawValue, TableName.meta.rawValue) }

    func plainSize(of value: RawSpan) -> Int? { CompressedValue(of: value)?.plainSize }

    func decompress(_ value: RawSpan, into output: inout MutableRawSpan) -> Decompression {
        guard let stated = CompressedValue(of: value), stated.plainSize == output.byteCount else { return .failed }
        guard let compressor = compressor(stated.dictionary) else {
            return .needs(record: DictionaryRecord.key(stated.dictionary))
        }
        CompressedValue.writePlainHeader(of: value, into: &output)
        let frame = value.extracting(droppingFirst: CompressedValue.frameOffset)
        return compressor.decompress(frame, into: &output, at: RecordHeader.size) ? .done : .failed
    }

    /// Returns the compressed form of the plain value of a row; nil where it gains too little.
    func compressed(_ value: RawSpan, by compressor: any RowCompressor) -> [UInt8]? {
        let limit = CompressedValue.largestSize(ofPlain: value.byteCount)
        guard limit > CompressedValue.frameOffset else { return nil }
        var output = [UInt8](repeating: 0, count: limit)
        let frameSize = output.withMutableRawSpan { output in
            CompressedValue.writeHeader(ofPlain: value, into: &output)
            let body = value.extracting(droppingFirst: RecordHeader.size)
            return compressor.compress(body, into: &output, at: CompressedValue.frameOffset)
        }
        guard let frameSize else { return nil }
        output.removeLast(limit - CompressedValue.frameOffset - frameSize)
        return output
    }

    // MARK: Dictionaries

    /// Returns the compressor with a dictionary, 0 for none; nil where that is not loaded.
    func compressor(_ dictionary: UInt32) -> (any RowCompressor)? {
        dictionary == 0 ? codec.plain : dictionaries.withLock { $0[dictionary] }
    }

    func load(_ record: RawSpan, of key: [UInt8]) {
        guard let body = try? Tables.body(of: record, key: key.rawSpan, table: .meta),
            let dictionary = try? DictionaryRecord(decoding: body), let number = dictionary.number,
            key == DictionaryRecord.key(number), let compressor = codec.compressor(dictionary: dictionary.content)
        else { return }
        dictionaries.withLock { $0[number] = compressor }
    }
}
