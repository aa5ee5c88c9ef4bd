// Proves that whole fetches with redirects, compressed bodies and truncated bodies behave as an independent model predicts.
import HTTPTypes
import LarderFormat
import LarderTesting
import LarderTransport
import Testing

@testable import LarderHTTP

/// One drawn history of a site, read through a cache and by the model, and where they differ first.
private struct SiteHistory {
    static let fetches = 20
    private static let addresses = ["https://a.test/1", "https://a.test/2", "https://b.test/1", "https://b.test/2"]

    private var random: SeededGenerator
    private let site = Site()
    private let clock = VirtualClock()
    private let place = MemoryResponseCache()
    private let cache: HTTPCache
    private var model: SiteModel
    private var now = 0
    private var version = 0

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        let limit = random.pick([0, 1, 2, 5]) ?? 0
        model = SiteModel(redirectLimit: limit)
        let site = site
        cache = HTTPCache(
            transport: HandlerTransport { (request, _) throws(TransportError) in site.answer(request) },
            persistent: place, options: HTTPCacheOptions(redirectLimit: limit), services: .virtual(clock))
        // Whether an address is stored at all stays as it is.
        for address in Self.addresses {
            let lifetime: Int? = random.happens(perMille: 850) ? random.pick([60, 600]) : nil
            site[address] = page(lifetime: lifetime)
        }
    }

    private mutating func page(lifetime: Int?) -> SitePage {
        version += 1
        if random.happens(perMille: 300) {
            let status = random.pick([301, 302, 303, 307, 308]) ?? 302
            return SitePage(
                content: .redirection(status: status, to: random.pick(Self.addresses) ?? ""), lifetime: lifetime)
        }
        let tag: String? = random.pick(["\"\(version)\"", "\"\(version)\"", "W/\"\(version)\"", nil]) ?? nil
        return SitePage(
            content: .text("version \(version)".padding(to: 20)), tag: tag, lifetime: lifetime,
            isCoded: random.happens(perMille: 400),
            cut: random.happens(perMille: 350) ? random.below(22) : nil)
    }

    /// What differs first; nil when nothing does.
    mutating func run() async -> String? {
        for number in 0..<Self.fetches {
            // Never exactly at the end of a lifetime.
            let pause = random.pick([0, 7, 31, 70, 601]) ?? 0
            now += pause
            clock.advance(by: .seconds(pause))
            let changed = random.pick(Self.addresses) ?? ""
            if random.happens(perMille: 300) { site[changed] = page(lifetime: site[changed]?.lifetime) }
            // A connection that held, or holds again.
            if random.happens(perMille: 300) { site[changed]?.cut = nil }
            let address = random.pick(Self.addresses) ?? ""
            let isOffline = random.happens(perMille: 200)
            let expected = model.fetch(address, isOffline: isOffline, of: site.pages, at: now)
            let outcome = await fetch(address, isOffline ? .cacheOnly : .standard)
            // A redirection is stored behind its reader's back, and who asks for the same meanwhile gets the same answer.
            while !cache.flights.isEmpty { await Task.yield() }
            let log = site.removeLog()
            let context = "fetch \(number) of \(address)\(isOffline ? ", offline" : "") at \(now)"
            if outcome != expected { return "\(context): \(outcome), model \(expected)" }
            if log != model.log { return "\(context): asked \(log), model \(model.log)" }
            if let difference = await difference(in: Self.addresses) { return "\(context): \(difference)" }
        }
        return nil
    }

    private func fetch(_ address: String, _ strategy: SingleAnswerStrategy) async -> SiteModel.Outcome {
        guard let request = FetchRequest(address) else { return .nothing }
        do {
            let answer = try await FetchedText(cache.fetch(request, strategy))
            if let place = answer.fields[.location] {
                return .content(.redirection(status: answer.status, to: place))
            }
            return answer.status == 200 ? .content(.text(answer.body)) : .nothing
        } catch HTTPCacheError.redirectedTooOften {
            return .tooManyRedirects
        } catch HTTPCacheError.notCached {
            return .nothing
        } catch {
            return .broken
        }
    }

    /// What is stored otherwise than the model says.
    private func difference(in addresses: [String]) async -> String? {
        for address in addresses {
            let expected = model.stored[address].map { "\($0.part.map(String.init) ?? "whole") of \($0.content)" }
            let found = await entries(address)
            if found != expected { return "stored \(found ?? "nothing"), model \(expected ?? "nothing")" }
        }
        return nil
    }

    private func entries(_ address: String) async -> String? {
        guard let entries = try? await place.entries(for: address), let entry = entries.last else { return nil }
        var bytes: [UInt8] = []
        try? entry.body.read(0..<entry.body.byteCount) { bytes.append(copying: $0) }
        let text = String(decoding: bytes, as: UTF8.self)
        if let place = entry.response.fields[.location] {
            return "whole of \(SitePage.Content.redirection(status: entry.response.status.code, to: place))"
        }
        guard case .part(let range, _) = entry.response.coverage else {
            return "whole of \(SitePage.Content.text(text))"
        }
        guard let whole = model.stored[address]?.content, range.lowerBound == 0, range.count == bytes.count else {
            return "\(range) of \(text)"
        }
        if case .text(let text) = whole, text.utf8.starts(with: bytes) { return "\(range.count) of \(whole)" }
        return "\(range.count) of \(text)"
    }
}

extension String {
    fileprivate func padding(to count: Int) -> String {
        self + String(repeating: ".", count: max(0, count - utf8.count))
    }
}

@Suite struct `Fetches of a site` {
    /// The message names the seed of the history that failed, with which it is drawn again.
    @Test(arguments: 0..<4)
    func `with redirections, coded bodies and broken ones go as a model says`(part: Int) async {
        let histories = ModelComparison.exchanges / 4 / SiteHistory.fetches
        for number in 0..<histories {
            let seed = UInt64(part * histories + number)
            var history = SiteHistory(seed: seed)
            if let difference = await history.run() { Issue.record("seed \(seed): \(difference)") }
        }
    }
}
