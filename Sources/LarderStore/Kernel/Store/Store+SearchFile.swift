internal import LarderEngine

/// The file of words that a search keeps beside the data file. FORMAT.md, "The whole".
extension Store {
    /// The name of the file in the store's directory.
    package static let searchFileName = "search.sqlite"
    /// The file of words and those that SQLite keeps beside it.
    package static let searchFileNames = ["", "-journal", "-wal", "-shm"].map { searchFileName + $0 }

    /// The most bytes that the file of words may have, half of ``sizeCap``; nil for any number.
    package var searchSizeCap: Int64? { shared.sizeCap.map { $0 / 2 } }
}

extension SharedState {
    /// The most bytes that the tables may hold: the cap less the file of words, at least half of it; nil for any
    /// number.
    var contentCap: Int64? {
        sizeCap.map { cap in cap - min(cap / 2, environment.auxiliaryFileSize(Store.searchFileName)) }
    }
}
