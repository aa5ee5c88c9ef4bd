/// A private cache's rules: what may be kept, for how long, and how it is used again. RFC 9111.
///
/// Pure: requests, responses and clock readings in, decisions out. Nothing is parsed twice for the caller, nothing is
/// remembered. Its parts lie in extensions, one file for each section of the standard.
public struct CachePolicy: Hashable, Sendable {
    /// The part of the time since `Last-Modified` that a response without an expiry is taken to be fresh for.
    /// RFC 9111 §4.2.2 suggests 0.1.
    public var heuristicFraction: Double
    /// The longest heuristic freshness.
    public var heuristicLimit: Duration
    /// Whether the spellings `Cache-Control: none` and `If-Since-Modified` are understood; they are never sent.
    public var understandsSourceSpellings: Bool

    /// Rules with the defaults of RFC 9111, heuristics limited to a day.
    public init(
        heuristicFraction: Double = 0.1, heuristicLimit: Duration = .seconds(86_400),
        understandsSourceSpellings: Bool = true
    ) {
        precondition((0...1).contains(heuristicFraction), "a fraction of \(heuristicFraction)")
        self.heuristicFraction = heuristicFraction
        self.heuristicLimit = heuristicLimit
        self.understandsSourceSpellings = understandsSourceSpellings
    }
}
