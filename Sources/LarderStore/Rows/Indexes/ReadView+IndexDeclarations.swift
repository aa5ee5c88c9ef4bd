internal import LarderEngine

extension ReadView {
    /// The declared indexes, also those being built or removed.
    public borrowing func indexes() throws -> [SecondaryIndex] {
        try tables.declaredIndexes(in: transaction)
    }

    /// The index of a name, unless it is being removed.
    public borrowing func index(named name: String) throws -> SecondaryIndex? {
        try indexes().named(name)
    }
}

extension [SecondaryIndex] {
    /// The one of a name that is not being removed.
    func named(_ name: String) -> SecondaryIndex? {
        first { $0.state != .removing && $0.definition.name.utf8.elementsEqual(name.utf8) }
    }
}
