// OrderedSource: an unchanging list in an order of its own, on a server with a cap on page sizes.

import LarderSync
import Synchronization

/// A list that never changes, in an order of its own, on a server that answers no more items than its cap, whatever is
/// asked for.
final class OrderedSource: PageSource {
    let paging: Paging
    private let keys: [String]
    private let cap: Int
    private let recordedRequests = Mutex<[PageRequest]>([])

    init(_ paging: Paging = .offset, keys: [String], cap: Int = .max) {
        self.paging = paging
        self.keys = keys
        self.cap = cap
    }

    convenience init(_ paging: Paging = .offset, keys: ClosedRange<Int>, cap: Int = .max) {
        self.init(paging, keys: keys.map(String.init), cap: cap)
    }

    var requests: [PageRequest] { recordedRequests.withLock { $0 } }

    func page(_ request: PageRequest) async throws -> ListPage {
        recordedRequests.withLock { $0.append(request) }
        let rest: ArraySlice<String>
        switch request {
        case .offset(let index, let size): rest = keys.dropFirst(index * size)
        case .keyset(let after, _):
            rest = after.flatMap { keys.firstIndex(of: $0) }.map { keys[($0 + 1)...] } ?? keys[...]
        }
        let items = rest.prefix(min(request.size, cap))
        return ListPage(items: items.map { ListItem(key: $0, payload: Array("{\"id\":\"\($0)\"}".utf8)) })
    }
}
