internal import LarderEngine

extension ReadView {
    /// The declared indexes, also those being built.
    public borrowing func indexes() throws -> [SecondaryIndex] {
        try tables.declaredIndexes(in: transaction)
    }

    /// The index of a name.
    public borrowing func index(named name: String) throws -> SecondaryIndex? {
        try indexes().named(name)
    }
}

extension [SecondaryIndex] {
    /// The one of a name.
    func named(_ name: String) -> SecondaryIndex? {
        first { $0.definition.name.utf8.elementsEqual(name.utf8) }
    }
}
