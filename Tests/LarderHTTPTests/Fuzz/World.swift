// ComparedHistory: one random history of a resource, decided by the library and by the model, with their differences.

import HTTPTypes
import LarderHTTP
import LarderTesting

/// One drawn history of a resource, decided by the library and by the model, and what they disagree about.
struct ComparedHistory {
    static let policy = CachePolicy(selectingSalt: Array(1...16))

    var grammar: ExchangeGrammar
    let model = CacheModel()
    var now: Int64 = ExchangeGrammar.noon * 1_000
    var url: String
    var candidates: [StoredResponse] = []
    var modelled: [ModelStored] = []
    /// How many decisions were compared.
    var decisions = 0
    var disagreements: [Disagreement] = []

    /// What the library and the model do not say alike.
    struct Disagreement {
        var what: String
        var text: String
    }

    init(seed: UInt64) {
        grammar = ExchangeGrammar(seed: seed)
        url = grammar.url()
    }

    mutating func recordDifference(_ what: String, _ library: Any, _ expected: Any, _ context: Any...) {
        let text = "library \(library), model \(expected)" + context.map { "\n    \($0)" }.joined()
        disagreements.append(Disagreement(what: what, text: text))
    }

    /// Fills the cache, asks for something, and sees what an answer does to what is stored.
    mutating func run() {
        for _ in 0...grammar.random.below(3) { store() }
        for index in candidates.indices where grammar.happens(60) {
            candidates[index].isInvalidated = true
            modelled[index].isInvalidated = true
        }
        now = grammar.time(near: now)
        let request = grammar.request(near: now, url: url)
        read()
        compareReuse(request)
        compareFallback(request)
        receive(request)
        invalidate(request)
        answer(request)
    }
}
