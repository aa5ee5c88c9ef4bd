internal import LarderEngine

extension ReadView {
    /// The declared indexes, also those being built; those with damaged records are left out.
    ///
    /// - Throws: `EngineError`.
    public borrowing func indexes() throws -> [SecondaryIndex] {
        try tables.declaredIndexes(in: transaction)
    }

    /// The index of a name, or nil.
    ///
    /// - Throws: `EngineError`.
    public borrowing func index(named name: String) throws -> SecondaryIndex? {
        try indexes().named(name)
    }
}

extension [SecondaryIndex] {
    /// The index of a name, or nil.
    func named(_ name: String) -> SecondaryIndex? {
        first { $0.definition.name.utf8.elementsEqual(name.utf8) }
    }
}
