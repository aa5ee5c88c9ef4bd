// Proves which responses are recognized as pages: by content type, or by the beginning of the body.
import HTTPTypes
import LarderOutbox
import Testing

@Suite struct `A page` {
    private func isNoPage(_ types: [String], _ body: [UInt8]?, status: Int = 200) -> Bool {
        var fields = HTTPFields()
        fields[values: .contentType] = types
        return OutboxConfiguration.isNoPage(
            HTTPResponse(status: .init(code: status), headerFields: fields), body: body)
    }

    @Test(arguments: [
        "<!DOCTYPE html>", "<?xml version=\"1.0\"?><!DOCTYPE html>", "<p class=\"x\">", "<a href=\"/\">", "<center>",
        "<b", "<font",
        "\u{FEFF} \r\n<html>", String(repeating: "\r\n", count: 1000) + "<html>",
        String(repeating: "\r\n", count: 5000) + "<html>", String(repeating: " ", count: 4096),
    ])
    func `begins with a bracket where no type is specific`(_ text: String) {
        let body = Array(text.utf8)
        let generic = [
            [], [""], ["text/plain; charset=utf-8"], ["application/octet-stream"], ["html"],
            ["text/plain", "application/json"], ["text/plain, application/json"],
        ]
        for types in generic { #expect(!isNoPage(types, body), "\(types)") }
        #expect(isNoPage(["application/json"], body) && isNoPage(["application/xml; a=\"b,c\""], body))
    }

    @Test(arguments: [false, true])
    func `begins so in UTF-16 too`(isBigEndian: Bool) {
        let body = "\u{FEFF} <html>".utf16.flatMap { unit -> [UInt8] in
            let bytes = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
            return isBigEndian ? bytes : bytes.reversed()
        }
        #expect(!isNoPage([], body))
        #expect(isNoPage(["application/json"], body))
    }

    @Test(arguments: [
        ["text/html"], ["\"text/html\""], [" TEXT/HTML ;charset=x"], ["text/html charset=x"], ["application/xhtml+xml"],
        ["application/vnd.wap.xhtml+xml"], ["text/plain", "text/html"], ["application/json, text/html"],
    ])
    func `is what says so, whatever its body`(_ types: [String]) {
        for body in [nil, [], Array("{}".utf8)] { #expect(!isNoPage(types, body)) }
        #expect(isNoPage(types, [], status: 204))
    }

    @Test func `is nothing else`() {
        for text in ["", "\n", "{}", "[]", "done", "\u{FEFF}{}", "\"<\"", String(repeating: " ", count: 5000) + "{}"] {
            #expect(isNoPage([], Array(text.utf8)) && isNoPage(["text/plain"], Array(text.utf8)))
        }
    }

    @Test func `may be what nobody has seen, unless it has a specific type`() {
        #expect(!isNoPage([], nil) && !isNoPage(["text/plain"], nil))
        #expect(isNoPage(["application/json"], nil) && isNoPage([], nil, status: 204))
    }
}
