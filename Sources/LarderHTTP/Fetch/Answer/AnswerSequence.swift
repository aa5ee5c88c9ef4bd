/// The one or two answers to a request: an intermediate one from the cache, where the strategy gives one, and the final.
///
/// Nothing is asked before the first answer is; the server is asked before the intermediate answer is handed out.
/// Each iterator asks anew.
public struct AnswerSequence: AsyncSequence, Sendable {
    /// An answer.
    public typealias Element = Fetched<HTTPAnswer>
    /// Why the final answer did not come, after an intermediate one or without.
    public typealias Failure = HTTPCacheError

    let cache: HTTPCache
    let request: FetchRequest
    let strategy: TwoAnswerStrategy
    /// What the body of the final answer must pass before it is stored.
    var check: BodyCheck?

    /// The strategy of the final answer by itself.
    var single: SingleAnswerStrategy { strategy.kind == .standard ? .standard : .networkElseCache }

    /// An iterator that has asked nothing yet.
    public func makeAsyncIterator() -> Iterator { Iterator(sequence: self) }

    /// Gives the answers; letting it go gives the final one up.
    public struct Iterator: AsyncIteratorProtocol {
        private enum Place {
            case start
            case final(FlightTicket, Lookup, FlightPlan)
            case end
        }

        private let sequence: AnswerSequence
        private var place = Place.start

        fileprivate init(sequence: AnswerSequence) { self.sequence = sequence }

        /// The next answer, or nil after the final one and after an error.
        public mutating func next(
            isolation: isolated (any Actor)? = #isolation
        ) async throws(HTTPCacheError) -> Fetched<HTTPAnswer>? {
            let now = place
            place = .end
            let answer: Fetched<HTTPAnswer>
            switch now {
            case .end: return nil
            case .final(let ticket, let lookup, let plan):
                answer = try await sequence.cache.land(ticket, lookup, plan, .nothing)
            case .start: answer = try await first()
            }
            if answer.isIntermediate { return answer }
            return try await sequence.cache.followed(
                answer, from: sequence.request, sequence.single, check: sequence.check)
        }

        /// The next answer, or nil after the final one and after an error.
        public mutating func next() async throws(HTTPCacheError) -> Fetched<HTTPAnswer>? {
            try await next(isolation: nil)
        }

        private mutating func first() async throws(HTTPCacheError) -> Fetched<HTTPAnswer> {
            let cache = sequence.cache
            let resolved = try await cache.resolve(sequence.request, sequence.check)
            let lookup = await cache.lookup(resolved)
            let intermediate: Fetched<HTTPAnswer>?
            let plan: FlightPlan
            switch (sequence.strategy.kind, cache.step(lookup, forcingValidation: sequence.strategy.kind != .standard))
            {
            case (_, .answer(let answer)): return answer
            case (.standard, .answerThenAsk(let answer, let asking, _)): (intermediate, plan) = (answer, asking)
            case (.standard, .ask(let asking)): return try await cache.ask(lookup, asking, .permitted)
            case (.cacheThenNetwork, .ask(let asking)), (.cacheThenNetwork, .answerThenAsk(_, let asking, _)):
                (intermediate, plan) = (cache.anyAge(lookup), asking)
            }
            if let answer = cache.answerOffline(lookup, .nothing) { return answer }
            guard var intermediate, !cache.follows(intermediate.value.head) else {
                return try await cache.ask(lookup, plan, .nothing)
            }
            intermediate.isIntermediate = true
            place = .final(try cache.board(resolved, plan), lookup, plan)
            return intermediate
        }
    }
}

extension HTTPCache {
    /// The one or two answers to a request, by a strategy that gives two.
    ///
    /// The sequence throws as ``fetch(_:_:)`` does. A stored redirection that is followed is no intermediate answer.
    /// After an intermediate answer a failure is thrown, unless ``HTTPCacheOptions/servesStoredOffline`` makes the stored response
    /// the final answer.
    public func answers(to request: FetchRequest, _ strategy: TwoAnswerStrategy = .standard) -> AnswerSequence {
        AnswerSequence(cache: self, request: request, strategy: strategy)
    }
}
