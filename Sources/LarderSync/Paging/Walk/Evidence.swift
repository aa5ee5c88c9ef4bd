/// What one answer shows of a list at one moment: which keys are there, and where none can be.
///
/// It is the only thing that rows are deleted on. Between two neighbours of one answer there was nothing at that moment,
/// nor before the first item of the list, nor behind its last; so no row that is on the server for the whole pass is ever
/// deleted, however the list moves between answers. Of what lies between the items of two answers, neither shows anything.
struct Evidence {
    /// The first item and the last; nil when the answer is empty.
    let bounds: (first: String, last: String)?
    /// Whether nothing lies before the first item.
    let beginsList: Bool
    /// Whether nothing lies behind the last item.
    let endsList: Bool
    /// The key that a keyset request named: nothing lies between it and the first item.
    let after: String?

    init(_ request: PageRequest, _ page: ListPage) {
        bounds = page.items.first.flatMap { first in page.items.last.map { (first.key, $0.key) } }
        beginsList = request.isFirst
        let isLast = page.hasMore.map { !$0 } ?? (page.items.count < request.size)
        if case .keyset(let key, _) = request {
            after = key
            endsList = isLast
        } else {
            after = nil
            // An empty answer to a later page says how many items there are at most, and nothing about which.
            endsList = isLast && (request.isFirst || bounds != nil)
        }
    }

    /// Whether a key that is not among the items was not in the list.
    func showsAbsence(of key: String) -> Bool {
        guard let bounds else { return endsList && (beginsList || isBehindAfter(key)) }
        if KeyOrder.isBefore(key, bounds.first) { return beginsList || isBehindAfter(key) }
        return KeyOrder.isBefore(key, bounds.last) || endsList
    }

    /// Whether it shows every key behind `lower` and before `upper` (nil: to the end) to be there or not.
    func covers(after lower: String, before upper: String?) -> Bool {
        guard let bounds else { return beginsList && endsList }
        let reachesDown = beginsList || !KeyOrder.isBefore(lower, bounds.first)
        let reachesUp = endsList || upper.map { !KeyOrder.isBefore(bounds.last, $0) } ?? false
        return reachesDown && reachesUp
    }

    private func isBehindAfter(_ key: String) -> Bool { after.map { KeyOrder.isBefore($0, key) } ?? false }
}
