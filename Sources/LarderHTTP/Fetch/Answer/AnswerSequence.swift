/// The one or two answers to a request: an intermediate one from the cache, where the strategy uses one, and the final.
///
/// No request is sent before the first answer is read. The exchange begins before the intermediate answer is returned.
/// Each iterator makes its own request.
public struct AnswerSequence: AsyncSequence, Sendable {
    /// An answer.
    public typealias Element = Fetched<HTTPAnswer>
    /// The error of the final answer, with or without an intermediate one before it.
    public typealias Failure = HTTPCacheError

    let cache: HTTPCache
    let request: FetchRequest
    let strategy: TwoAnswerStrategy
    /// The check that the body of the final answer must pass before it is stored.
    var check: BodyCheck?

    /// The strategy of the final answer by itself.
    var single: SingleAnswerStrategy { strategy.kind == .standard ? .standard : .networkElseCache }

    /// Returns an iterator that has sent nothing yet.
    public func makeAsyncIterator() -> Iterator { Iterator(sequence: self) }

    /// An iterator over the answers; releasing it abandons the final one.
    public struct Iterator: AsyncIteratorProtocol {
        private enum Phase {
            case start
            case final(FlightParticipant, Lookup, FlightPlan)
            case end
        }

        private let sequence: AnswerSequence
        private var phase = Phase.start

        fileprivate init(sequence: AnswerSequence) { self.sequence = sequence }

        /// Returns the next answer, or nil after the final one and after an error.
        ///
        /// - Throws: as ``HTTPCache/fetch(_:_:)``.
        public mutating func next(
            isolation: isolated (any Actor)? = #isolation
        ) async throws(HTTPCacheError) -> Fetched<HTTPAnswer>? {
            let currentPhase = phase
            phase = .end
            let answer: Fetched<HTTPAnswer>
            switch currentPhase {
            case .end: return nil
            case .final(let participant, let lookup, let plan):
                answer = try await sequence.cache.awaitResult(participant, lookup, plan, .nothing)
            case .start: answer = try await first()
            }
            if answer.isIntermediate { return answer }
            return try await sequence.cache.followed(
                answer, from: sequence.request, sequence.single, check: sequence.check)
        }

        /// Returns the next answer, or nil after the final one and after an error.
        ///
        /// - Throws: as ``HTTPCache/fetch(_:_:)``.
        public mutating func next() async throws(HTTPCacheError) -> Fetched<HTTPAnswer>? {
            try await next(isolation: nil)
        }

        private mutating func first() async throws(HTTPCacheError) -> Fetched<HTTPAnswer> {
            let cache = sequence.cache
            let lookup = await cache.lookup(try await cache.resolve(sequence.request, sequence.check))
            let intermediate: Fetched<HTTPAnswer>?
            let plan: FlightPlan
            switch (sequence.strategy.kind, cache.step(lookup, forcingValidation: sequence.strategy.kind != .standard))
            {
            case (_, .answer(let answer)): return answer
            case (.standard, .answerAndFetch(let answer, let flightPlan, _)):
                (intermediate, plan) = (answer, flightPlan)
            case (.standard, .fetch(let flightPlan)):
                return try await cache.fetchFromServer(lookup, flightPlan, .permitted)
            case (.cacheThenNetwork, .fetch(let flightPlan)),
                (.cacheThenNetwork, .answerAndFetch(_, let flightPlan, _)):
                (intermediate, plan) = (cache.anyAge(lookup), flightPlan)
            }
            if let answer = cache.answerOffline(lookup, .nothing) { return answer }
            guard var intermediate, !cache.follows(intermediate.value.head) else {
                return try await cache.fetchFromServer(lookup, plan, .nothing)
            }
            intermediate.isIntermediate = true
            phase = .final(try cache.joinFlight(lookup.resolved, plan), lookup, plan)
            return intermediate
        }
    }
}

extension HTTPCache {
    /// Returns the one or two answers to a request, by a strategy that permits two.
    ///
    /// The sequence throws as ``fetch(_:_:)`` does. A stored redirection that is followed is no intermediate answer.
    /// After an intermediate answer a failure is thrown, unless ``HTTPCacheOptions/servesStoredOffline`` makes the
    /// stored response the final answer.
    public func answers(to request: FetchRequest, _ strategy: TwoAnswerStrategy = .standard) -> AnswerSequence {
        AnswerSequence(cache: self, request: request, strategy: strategy)
    }
}
