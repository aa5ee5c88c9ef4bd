import LarderStore

#if Compression
import LarderCompression
#endif

extension StoreCompression {
    /// What reads compressed rows, and writes plain ones; nil in a cachetool that was built without it.
    static var tool: StoreCompression? {
        #if Compression
        .zstd()
        #else
        nil
        #endif
    }
}
