/// A detector of pages that lead back to an earlier page of the run, so that no run goes on for ever.
///
/// One path is kept and compared with the ones that follow; it is replaced after 1, 2, 4, 8 … pages. Every cycle is
/// found within three times its length (Brent, "An improved Monte Carlo factorization algorithm", 1980).
struct PageCycleDetector: Sendable {
    private var saved: ServerPath?
    private var pages = 0
    private var limit = 1

    /// Records the path of the next page; returns false when it is the kept path, which was requested before.
    mutating func advance(to path: ServerPath) -> Bool {
        if path == saved { return false }
        pages += 1
        if pages == limit {
            saved = path
            pages = 0
            // Overflows after 2^63 pages.
            limit *= 2
        }
        return true
    }
}
