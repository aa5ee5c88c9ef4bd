// Proves which header fields are recognized by their names as carrying credentials.
import LarderFormat
import Testing

@Suite struct `A header field's name` {
    @Test(arguments: [
        // Of the standards.
        "Authorization", "Proxy-Authorization", "Cookie", "Cookie2", "Set-Cookie", "Set-Cookie2", "Authentication-Info",
        "Proxy-Authentication-Info", "DPoP", "Signature", "Signature-Input",
        // Of services and gateways in wide use.
        "X-Api-Key", "X-ApiKey", "apikey", "Api-Key", "X_API_KEY", "DD-API-KEY", "DD-APPLICATION-KEY",
        "X-Algolia-API-Key",
        "X-Redmine-API-Key", "X-Functions-Key", "Ocp-Apim-Subscription-Key", "X-Auth-Key", "X-Appwrite-Key",
        "X-Parse-Master-Key", "X-Parse-REST-API-Key", "X-MBX-APIKEY", "X-PM-API-Key", "Private-Key", "X-Auth-Token",
        "Private-Token", "Deploy-Token", "Job-Token", "Circle-Token", "X-Plex-Token", "X-Emby-Token", "X-Figma-Token",
        "X-Vault-Token", "X-Consul-Token", "X-Gitlab-Token", "X-Shopify-Access-Token", "X-Amz-Security-Token",
        "X-Amz-Access-Token", "X-Postmark-Server-Token", "X-MS-TOKEN-AAD-ACCESS-TOKEN", "X-Storage-Token",
        "X-Subject-Token", "Token", "X-CSRFToken", "X-WP-Nonce", "X-Hasura-Admin-Secret", "CF-Access-Client-Secret",
        "API-Secret", "X-Password", "X-JWT", "X-Goog-IAP-JWT-Assertion", "X-Session-Id", "SessionID", "X-Auth",
        "APNs-Auth",
        "X-Firebase-Auth", "X-BasicAuth", "X-Firebase-AppCheck", "X-MS-Client-Principal", "X-Amzn-Oidc-Data",
        "X-Hub-Signature", "X-Amz-Signature", "X-Amz-Credential", "X-Bearer-Token", "Bearer", "Authorization2",
        "X-Honeycomb-Team",
        // What names a thing does not help the other words.
        "X-Session-Page-Token", "X-Sync-Auth", "Content-Api-Key", "X-PIN", "X-OAuth", "OAuth2", "X-Access-Tokens",
        "X-Unlock-Token", "X-Lockers-Token",
    ])
    func `shows that it carries credentials, in any spelling`(name: String) {
        for name in [name, name.lowercased(), name.uppercased()] {
            #expect(CredentialFields().contains(name), "\(name)")
        }
    }

    @Test(arguments: [
        "Idempotency-Key", "X-Idempotency-Key", "X-IdempotencyKey", "Surrogate-Key", "X-Cache-Key", "X-Next-Page-Token",
        "X-MS-Continuation-Token", "Lock-Token", "X-Sync-Token", "Accept", "Accept-Language", "Content-Type",
        "Content-Disposition", "Content-Security-Policy", "Cache-Control", "ETag", "If-Match", "If-None-Match",
        "Prefer",
        "Location", "Last-Modified", "Link", "Vary", "Range", "Date", "Age", "Expires", "User-Agent", "X-Request-Id",
        "X-Account", "X-Client-Id", "X-Sync-Sequence", "Idempotency-Replayed", "WWW-Authenticate", "Proxy-Authenticate",
        "Access-Control-Allow-Credentials", "Access-Control-Allow-Headers", "X-Author", "Authority", "X-Keyboard",
        "Retry-After",
        "X-Row-Key", "X-Sort-Key", "X-CoAuthor", "X-Max-Tokens", "X-MaxTokens", "X-RateLimit-Remaining-Tokens",
        "Anthropic-RateLimit-Tokens-Remaining", "X-NextPageToken", "X-NextPage-Token", "Next-Page-Tokens", "X-Pinned",
        "Sec-Fetch-Mode", "Strict-Transport-Security", "Traceparent", "X-Vendor", "", "-", "X",
    ])
    func `that shows no credentials is accepted`(name: String) {
        for name in [name, name.lowercased(), name.uppercased()] {
            #expect(!CredentialFields().contains(name), "\(name)")
        }
    }

    @Test func `that a standard defines is recognized`() {
        for name in CredentialFields.standardNames { #expect(CredentialFields().contains(name), "\(name)") }
    }

    @Test func `that the host lists is treated as it says, except for standard ones`() {
        let fields = CredentialFields(
            secret: ["X-Vendor", "X-Page-Token"], plain: ["x-part-key", "X-Pin", "Authorization", "Set-Cookie"])
        for name in ["X-Vendor", "x-vendor", "X-PAGE-TOKEN", "Authorization", "set-cookie", "X-Api-Key"] {
            #expect(fields.contains(name), "\(name)")
        }
        for name in ["X-Part-Key", "X-PIN", "X-Row-Key", "Accept"] { #expect(!fields.contains(name), "\(name)") }
    }
}
