/// A part that removes the blobs which readers and writers have left.
protocol BlobStage: SharedPart {
    /// Removes what was given up: the last reader of some has let go of it, or its writer has.
    func isLeft(in shared: SharedState)
}

extension SharedState {
    /// Lets go of a blob that was read, and has it removed when it was given up.
    func release(_ blob: Int64) {
        guard leases.release(blob) else { return }
        for part in parts(as: (any BlobStage).self) { part.isLeft(in: self) }
    }

    /// Has a blob removed whose writer has given it up, unless it became live.
    func giveUp(_ blob: Int64) {
        leases.abandon(blob)
        for part in parts(as: (any BlobStage).self) { part.isLeft(in: self) }
    }
}
