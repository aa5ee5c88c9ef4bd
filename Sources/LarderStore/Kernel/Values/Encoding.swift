internal import LarderFormat

/// Returns the result of `body`, which encodes values of a caller.
///
/// - Throws: ``StoreError/invalid(_:)`` for a value beyond the format's limits.
func encoding<Value>(_ body: () throws -> Value) throws(StoreError) -> Value {
    do {
        return try body()
    } catch {
        throw StoreError(encoding: error)
    }
}

extension KeyBuffer {
    /// The key that `build` builds.
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
    /// Wraps an error of the format; closures that encode throw such errors, but Swift infers no thrown type for a
    /// closure.
    fileprivate init(encoding error: any Error) {
        guard let error = error as? FormatError else { preconditionFailure("encoding failed: \(error)") }
        self = .invalid(error)
    }
}
