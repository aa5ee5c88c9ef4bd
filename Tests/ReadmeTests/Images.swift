// The code of docs/images.md, compiled; between the two marks it is compared with the page.

// Page begins
import Foundation
import LarderHTTP

/// Loads the bytes of images through the HTTP cache.
struct CachedImages: Sendable {
    let cache: HTTPCache

    /// The bytes of an image: from the file while they are fresh or there is no network, from the server otherwise.
    func data(at url: String) async throws -> Data {
        let fetched = try await cache.value(of: request(url), .staleIfOffline, upTo: 30 << 20) { bytes in
            // What throws here is not stored: a login page that answers 200 leaves the stored image as it is.
            guard Self.isImage(bytes) else { throw CocoaError(.fileReadCorruptFile) }
            return Data(bytes)
        }
        return fetched.value
    }

    /// The bytes of an image piece by piece, for a pipeline that shows what has arrived.
    func pieces(at url: String, receive: (Data) -> Void) async throws {
        let answer = try await cache.fetch(request(url), .staleIfOffline)
        guard answer.value.isSuccess else { throw HTTPCacheError.server(answer.value.head) }
        for try await piece in answer.value.body { receive(Data(piece)) }
    }

    /// Removes every image, and nothing else.
    func removeAll() async throws { _ = try await cache.remove(.tag("images")) }

    private func request(_ url: String) throws -> FetchRequest {
        guard var request = FetchRequest(url) else { throw URLError(.badURL) }
        request.tags = ["images"]
        return request
    }

    /// JPEG, PNG, GIF, or a container whose first box says so (WebP, HEIC, AVIF).
    private static func isImage(_ bytes: [UInt8]) -> Bool {
        let beginnings: [[UInt8]] = [[0xFF, 0xD8, 0xFF], [0x89, 0x50, 0x4E, 0x47], Array("GIF8".utf8)]
        return beginnings.contains { bytes.starts(with: $0) } || bytes.starts(with: "RIFF".utf8)
            || bytes.dropFirst(4).starts(with: "ftyp".utf8)
    }
}
// Page ends
