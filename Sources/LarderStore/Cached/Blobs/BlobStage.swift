/// A part that removes the blobs which readers and writers have left.
protocol BlobStage: SharedPart {
    /// Removes a garbage blob whose last reader has let go of it.
    func isLeft(_ blob: Int64, in shared: SharedState)
    /// Removes a blob whose writer has given it up, unless it became live.
    func isGivenUp(_ blob: Int64, in shared: SharedState)
}

extension SharedState {
    /// Lets go of a blob that was read, and has it removed when it is garbage.
    func release(_ blob: Int64) {
        guard leases.release(blob) else { return }
        for part in parts(as: (any BlobStage).self) { part.isLeft(blob, in: self) }
    }

    /// Has a blob removed whose writer has given it up.
    func giveUp(_ blob: Int64) {
        for part in parts(as: (any BlobStage).self) { part.isGivenUp(blob, in: self) }
    }
}
