internal import LarderFormat

/// What `body` makes with the format of what a caller gave.
///
/// - Throws: ``StoreError/invalid(_:)`` for what is beyond the limits.
func encoding<Value>(_ body: () throws -> Value) throws(StoreError) -> Value {
    do {
        return try body()
    } catch {
        throw StoreError(encoding: error)
    }
}

extension KeyBuffer {
    /// The key that `build` puts together.
    init(_ build: (inout KeyBuffer) throws -> Void) throws(StoreError) {
        self.init()
        do {
            try build(&self)
        } catch {
            throw StoreError(encoding: error)
        }
    }
}

extension StoreError {
    /// Closures that encode throw the errors of the format, but Swift infers no thrown type for a closure.
    fileprivate init(encoding error: any Error) {
        guard let error = error as? FormatError else { preconditionFailure("encoding failed: \(error)") }
        self = .invalid(error)
    }
}
