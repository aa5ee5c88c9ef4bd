/// The stored value, if there is one, and then the server's response: one or two elements.
///
/// Each iterator sends a request of its own. The last element is the server's response. Without a response the sequence
/// ends with the error, also after a stored value.
public struct ObjectAnswers<Value: Sendable>: AsyncSequence, Sendable {
    /// A value, with its origin and freshness.
    public typealias Element = Fetched<Value>
    /// The reason there is no response.
    public typealias Failure = HTTPCacheError

    let first: @Sendable () async throws(HTTPCacheError) -> Fetched<Value>?
    let final: @Sendable () async throws(HTTPCacheError) -> Fetched<Value>

    /// Returns an iterator over a new request.
    public func makeAsyncIterator() -> Iterator {
        Iterator(answers: self)
    }

    /// The position of one reader.
    public struct Iterator: AsyncIteratorProtocol {
        private enum Step {
            case first, final, end
        }

        private let answers: ObjectAnswers
        private var step = Step.first

        fileprivate init(answers: ObjectAnswers) {
            self.answers = answers
        }

        /// Returns the next answer, or nil at the end.
        ///
        /// - Throws: as ``ObjectCache/object(_:strategy:persistence:)``.
        public mutating func next(
            isolation: isolated (any Actor)? = #isolation
        ) async throws(HTTPCacheError) -> Fetched<Value>? {
            try await next()
        }

        /// Returns the next answer, or nil at the end.
        ///
        /// - Throws: as ``ObjectCache/object(_:strategy:persistence:)``.
        public mutating func next() async throws(HTTPCacheError) -> Fetched<Value>? {
            if step == .first {
                step = .final
                if let stored = try await answers.first() { return stored }
            }
            if step == .end { return nil }
            step = .end
            return try await answers.final()
        }
    }
}
