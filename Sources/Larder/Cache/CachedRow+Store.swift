public import LarderFormat
public import LarderStore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension ReadView {
    /// Returns the row at `key` as a value, or nil when there is none; dates are read in the form of the schema.
    ///
    /// - Throws: ``RowError/undecodable(_:reason:)``; as `row(at:)`.
    public borrowing func value<Row: CachedRow>(_ type: Row.Type, at key: RowKey) throws -> Row? {
        guard let payload = try self.payload(at: key) else { return nil }
        return try RowDecoder<Row>().row(EncodedRow(key: key, payload: payload))
    }
}

extension Transaction {
    /// Stores a row in the visible rows of its resource; dates are written in the form of the schema.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - key: The key of the row.
    ///   - updatedAt: Milliseconds since 1970-01-01 UTC.
    /// - Throws: As `put(_:at:updatedAt:codec:)`; encoding errors.
    public mutating func put<Row: CachedRow>(_ row: Row, at key: RowKey, updatedAt: Int64) throws {
        try put(try row.payload(), at: key, updatedAt: updatedAt, codec: .json)
    }

    /// Stores a row in the visible rows of its resource; see ``put(_:at:updatedAt:)``.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - key: The key of the row.
    ///   - updatedAt: The date of the row; whole milliseconds are stored.
    /// - Throws: As `put(_:at:updatedAt:codec:)`; encoding errors.
    /// - Precondition: The date is less than 292 million years from 1970.
    public mutating func put<Row: CachedRow>(_ row: Row, at key: RowKey, updatedAt: Date) throws {
        try put(row, at: key, updatedAt: Int64(RowSchema.DateForm.milliseconds(of: updatedAt)))
    }
}
