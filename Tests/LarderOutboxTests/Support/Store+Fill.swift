// Store.fill: fills a store up to its limit.

import LarderFormat
import LarderStore

extension Store {
    /// Fills the store to the last byte of its cap, of at most 100,000, with a write of an account that is not signed in.
    ///
    /// - Returns: the identity of that write.
    @discardableResult
    func fill() async throws -> UUIDBytes {
        var draft = OutboxDraft(
            id: UUIDBytes(high: 9, low: 9), lane: "filler", createdAt: 0, mutationType: "filler", method: "POST",
            endpoint: "/filler", payload: [UInt8](repeating: 0x78, count: 100_000))
        draft.account = "other"
        while true {
            do {
                let filler = draft
                try await write { _ = try $0.enqueue(filler) }
                return draft.id
            } catch StoreError.full(let shortage) {
                draft.payload.removeLast(Int(shortage.missing))
            }
        }
    }
}
