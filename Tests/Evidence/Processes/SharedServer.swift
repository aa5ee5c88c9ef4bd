// SharedServer: one server for several processes, each of which makes it anew from the number of its changes.

import Glibc

/// One server for several processes: the number of its changes, in a file, decides what it has.
struct SharedServer {
    private let path: String
    private var server: Server
    private var random = SplitMix64(seed: 99)
    private var changes = 0

    init(path: String) throws {
        self.path = path
        server = try Server()
    }

    /// The server after all changes.
    mutating func current() throws -> Server {
        // The file has one byte for each change.
        var status = stat()
        let wanted = unsafe stat(path, &status) == 0 ? Int(status.st_size) : 0
        while changes < wanted {
            try server.change(&random)
            changes += 1
        }
        return server
    }

    /// Has the server change once more, for every process.
    func change() { Files.append(".", to: path) }
}
