extension SalvageReader {
    /// The size of a page: that at which the second meta page lies, that which the first one names, or one of which the
    /// file has the third page; nil where none of them is there.
    static func pageSize(_ file: FileDescriptor, _ size: UInt64) throws(EngineError) -> UInt64? {
        let sizes: [UInt64] = [4096, 16384, 8192, 32768, 65536]
        func named(at offset: UInt64) throws(EngineError) -> UInt64 {
            UInt64(try file.read(MetaPages.usedBytes, at: offset).u32(40))
        }
        for page in sizes {
            if try meta(file, 1, at: page) != nil, try named(at: page) == page { return page }
        }
        let first = try meta(file, 0, at: 0) == nil ? 0 : try named(at: 0)
        if sizes.contains(first) { return first }
        for page in sizes where size >= 3 * page {
            let header = try file.read(TreePage.headerSize, at: 2 * page)
            if header.count == TreePage.headerSize, header.u64(0) == 2 { return page }
        }
        return nil
    }

    /// Returns the content of a meta page, or nil where its header is damaged.
    static func meta(
        _ file: FileDescriptor, _ number: UInt64, at offset: UInt64
    ) throws(EngineError) -> Meta? {
        let bytes: [UInt8]
        // A page that the medium does not return is a damaged one.
        do throws(EngineError) { bytes = try file.read(MetaPages.usedBytes, at: offset) } catch .ioFailure {
            return nil
        }
        guard bytes.count == MetaPages.usedBytes, bytes.u64(0) == number, bytes.u32(16) == 0xBEEF_C0DE,
            bytes.u32(20) == 1,
            bytes.u16(10) == 0x08, bytes.u64(136) < 1 << 40
        else { return nil }
        return Meta(bytes)
    }
}
