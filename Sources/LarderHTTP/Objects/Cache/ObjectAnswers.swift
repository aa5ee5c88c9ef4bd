/// What is kept, where anything is; then the server's answer: one or two elements.
///
/// Each iterator asks anew. The last element is the server's word; when the server gives none, the sequence ends with
/// the reason, also after an answer from what is kept.
public struct ObjectAnswers<Value: Sendable>: AsyncSequence, Sendable {
    /// An answer and how it came about.
    public typealias Element = Fetched<Value>
    /// Why the server's answer did not come.
    public typealias Failure = HTTPCacheError

    let first: @Sendable () async throws(HTTPCacheError) -> Fetched<Value>?
    let final: @Sendable () async throws(HTTPCacheError) -> Fetched<Value>

    /// Begins to ask.
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

        /// The next answer, or nil at the end.
        public mutating func next(
            isolation: isolated (any Actor)? = #isolation
        ) async throws(HTTPCacheError) -> Fetched<Value>? {
            try await next()
        }

        /// The next answer, or nil at the end.
        public mutating func next() async throws(HTTPCacheError) -> Fetched<Value>? {
            if step == .first {
                step = .final
                if let kept = try await answers.first() { return kept }
            }
            if step == .end { return nil }
            step = .end
            return try await answers.final()
        }
    }
}
