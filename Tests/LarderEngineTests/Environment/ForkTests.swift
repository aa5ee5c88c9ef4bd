// Proves that a forked child cannot use its parent's environment (pitfall P8).

import Foundation
import LarderEngine
import Testing

/// Pitfall P8: a forked child can read and write through what is its parent's.
@Suite struct `After a fork` {
    @Test func `every operation of the child is refused, and the parent is not affected`() throws {
        let directory = TemporaryDirectory()
        let lines = try Probe("fork", directory.path).finish()
        #expect(
            lines == [
                "read refused", "write refused", "onWriter refused", "info refused", "clear refused", "close refused",
                "nested read refused", "snapshot kept", "forked write refused", "commits by the child 0",
                "commits by the parent 2", "found [2]",
            ])
    }
}
