internal import HTTPTypes
internal import LarderTransport
internal import Synchronization

/// What decisions read of a stored response's fields: parsed when it is first needed, and kept with the response.
///
/// It follows from the fields, so two responses do not differ by it.
final class FieldFacts: Hashable, Sendable {
    struct Values {
        /// Its `Cache-Control`.
        let directives: CacheControl
        /// Its `Date`, in milliseconds since 1970-01-01 UTC; nil when it is no date.
        let date: Int64?
        /// The first member of `Age`, in milliseconds; 0 when it is no number. RFC 9111 §5.1.
        let age: Int64
        /// The names in its `Vary`; nil when only the server can select it.
        let vary: [String]?
    }

    private let values = Mutex<Values?>(nil)

    fileprivate func values(of response: StoredResponse) -> Values {
        values.withLock { known in
            if let known { return known }
            let values = Values(response)
            known = values
            return values
        }
    }

    static func == (left: FieldFacts, right: FieldFacts) -> Bool { true }

    func hash(into hasher: inout Hasher) {}
}

extension FieldFacts.Values {
    fileprivate init(_ response: StoredResponse) {
        let fields = response.fields
        directives = CacheControl(fields)
        date = fields.first("date").flatMap { HTTPDate.milliseconds(of: $0, now: response.receivedAt) }
        let member = fields.first("age")?.prefix { $0 != 0x2C }
        age = (member.flatMap { FieldScanner.deltaSeconds(FieldScanner.trimmed(Array($0))) } ?? 0) * 1000
        vary = CachePolicy.selectingNames(fields)
    }
}

extension StoredResponse {
    /// What decisions read of its fields.
    var parsed: FieldFacts.Values { facts.values(of: self) }
}
