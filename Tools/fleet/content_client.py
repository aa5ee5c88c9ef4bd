#!/usr/bin/env python3
"""Independent client of the content sync protocol, written from its description only.
Exit codes: 0 done, 1 gave up (server or network), 2 usage, 3 the server broke the protocol."""
import argparse, gzip, http.client, json, os, random, re, sys, time, zlib
from urllib.parse import unquote, urlencode, urlsplit

TRIES, SNAPSHOT_TRIES, MAX_RESYNCS = 8, 5, 3   # of a request; of a snapshot that is hidden or lags; in a row
LONGEST_PAUSE, LONGEST_RETRY_AFTER = 5.0, 30.0
canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode
DEFAULT_TYPE = {"translations": "translation", "tafsirs": "tafsir", "articles": "article_localization",
                "word_by_word_translations": "word_translation", "word_by_word_transliterations": "word_transliteration"}
ROWS_CARRY_TYPE = {"recitations", "chapter_recitations", "mushafs", "quran_core"}
SNAPSHOT_TYPES, ROW_WRITES = {"RESOURCE_CREATE", "RESOURCE_INVALIDATE"}, {"ROW_CREATE", "ROW_UPDATE"}
KNOWN_TYPES = SNAPSHOT_TYPES | ROW_WRITES | {"RESOURCE_DELETE", "RESOURCE_UPDATE", "ROW_DELETE"}
SYNC_MEMBERS = "sync_until_sequence has_more next_page_url next_sync_token mutations".split()
SNAPSHOT_MEMBERS = "resource_group resource_id resource_content_id schema_version sync_sequence records".split()
DATE_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")
FIGURES = ("runs pages mutations snapshots snapshot_rows bytes_received requests retries resyncs cache_hits last_bound "
           "hidden lagging unknown_mutations rows_without_resource row_older_than_snapshot redelivered "
           "bound_went_back bootstrap_unordered without_no_store")

class Violation(Exception): pass   # the server broke a rule of the protocol
class GiveUp(Exception): pass      # no violation, but we cannot go on
class Resync(Exception): pass      # 410 resync_required

def need(condition, rule, where):
    if not condition:
        raise Violation(f"{rule}: {where}")

def pause(attempt):
    time.sleep(min(LONGEST_PAUSE, 0.1 * 2 ** attempt) * random.uniform(0.5, 1.5))

def retry_after(value):
    """Seconds to wait, bounded; None without a number (a date counts as none: our own pause is used)"""
    return min(LONGEST_RETRY_AFTER, int(value)) if value and value.isdecimal() else None

def write_file(path, text):
    with open(f"{path}.tmp", "w", encoding="utf-8", errors="surrogatepass") as f:
        f.write(text)
    os.replace(f"{path}.tmp", path)

def check_path(path, where):
    need(isinstance(path, str) and path.startswith("/api/v4/"), "path-prefix", f"{where}: {path!r}")
    plain = unquote(path.split("?")[0])   # an opaque cursor may hold anything
    need(".." not in plain and "//" not in plain and "\\" not in plain
         and all("!" <= c <= "~" and c != "#" for c in path), "path-form", f"{where}: {path!r}")

def parse_filter(text):
    """{group: the set of its ids as strings, or with '*'}"""
    groups = {}
    for part in text.split(";"):
        group, ids = part.split(":")
        groups.setdefault(group.strip(), set()).update(i.strip() for i in ids.split(","))
    return groups

def row_key(group, row, where):
    """(record_type, record_key) of a row body; the key is None if the row has nothing to make it from"""
    kind = row.get("record_type")
    if kind is None:
        need(group not in ROWS_CARRY_TYPE, "row-without-record-type", where)
        kind = DEFAULT_TYPE.get(group, group)
    if row.get("record_key") is not None:
        return kind, str(row["record_key"])
    if group == "articles" and row.get("article_id") is not None and row.get("lang") is not None:
        return kind, f"{row['article_id']}-{row['lang']}"
    return kind, str(row["id"]) if row.get("id") is not None else None

def snapshot_rows(snapshot, group, rid, where):
    """The rows of a checked snapshot: {(record_type, record_key): canonical JSON}"""
    need(isinstance(snapshot, dict) and all(m in snapshot for m in SNAPSHOT_MEMBERS), "snapshot-members", where)
    need(type(snapshot["sync_sequence"]) is int and type(snapshot["records"]) is list, "snapshot-members", where)
    need((snapshot["resource_group"], snapshot["resource_id"]) == (group, rid), "snapshot-of-resource", where)
    rows = {}
    for index, record in enumerate(snapshot["records"]):
        at = f"{where} row {index}"
        need(isinstance(record, dict), "snapshot-row", at)
        key = row_key(group, record, at)
        need(key[1] is not None, "row-without-key", at)
        need(key not in rows, "row-twice", f"{at}: {key}")
        rows[key] = canonical(record)
    return rows

def check_page(answer, run, per_page, where):
    """The `sync` object of a page"""
    sync = answer.get("sync") if isinstance(answer, dict) else None
    need(isinstance(sync, dict) and all(m in sync for m in SYNC_MEMBERS), "sync-members", where)
    bound, more, url, token, mutations = map(sync.get, SYNC_MEMBERS)
    need(type(bound) is int and isinstance(more, bool) and isinstance(mutations, list), "sync-member-types", where)
    need(run["bound"] in (None, bound), "bound-constant", f"{where}: {bound} after {run['bound']}")
    run["bound"] = bound
    need(len(mutations) <= per_page, "page-size", f"{where}: {len(mutations)}")
    need(more == (url is not None), "next-page-url-as-has-more", where)
    need(token is None if more else isinstance(token, str) and token, "token-on-last-page-only", where)
    if more:
        check_path(url, f"{where} next_page_url")
    return sync

class Client:
    def __init__(self, args):
        self.args, self.filter = args, parse_filter(args.filter)
        base = urlsplit(args.base)
        self.prefix = base.path.rstrip("/")
        self.connection = http.client.HTTPConnection(base.hostname, base.port, timeout=30)
        headers = {"Accept-Encoding": "gzip", "x-auth-token": args.auth_token, "x-client-id": args.client_id}
        self.headers = {name: value for name, value in headers.items() if value}
        self.figures = dict.fromkeys(FIGURES.split(), 0)
        self.token, self.resources = None, {}   # (group, id) -> {(record_type, record_key): canonical JSON}
        if args.state and os.path.exists(args.state):
            with open(args.state, encoding="utf-8") as f:
                state = json.load(f)
            if parse_filter(state["filter"]) != self.filter:   # a token is never used with another filter
                raise ValueError(f"{args.state} belongs to the filter {state['filter']}")
            self.token, self.figures["last_bound"] = state["token"], state["last_bound"]
            self.resources = {(g, i): {(t, k): row for t, k, row in rows} for g, i, rows in state["resources"]}

    def save_state(self):
        write_file(self.args.state, json.dumps({
            "filter": self.args.filter, "token": self.token, "last_bound": self.figures["last_bound"],
            "updated_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "resources": [[*r, [[*key, row] for key, row in rows.items()]] for r, rows in self.resources.items()]}))

    def get_once(self, path):
        """One request: (status, headers, body)"""
        self.figures["requests"] += 1
        try:
            self.connection.request("GET", self.prefix + path, headers=self.headers)
            response = self.connection.getresponse()
            body = response.read()
        except (OSError, http.client.HTTPException):
            self.connection.close()   # the next request opens a new one
            raise
        self.figures["bytes_received"] += len(body) + 17 + sum(len(k) + len(v) + 4 for k, v in response.getheaders())
        self.figures["cache_hits"] += response.headers.get("X-Cache-Status", "").upper() == "HIT"
        if response.headers.get("Content-Encoding", "").lower() == "gzip":
            body = gzip.decompress(body)
        return response.status, response.headers, body

    def get(self, path):
        """GET with bounded retries: the JSON of a 200, or None for snapshot_not_found"""
        for attempt in range(TRIES):
            self.figures["retries"] += attempt > 0
            try:
                status, headers, body = self.get_once(path)
            except (OSError, EOFError, zlib.error, http.client.HTTPException) as error:
                failure = f"{type(error).__name__} {error}"
                pause(attempt)
                continue
            if status in (429, 500, 502, 503, 504):
                failure, wait = f"HTTP {status}", retry_after(headers.get("Retry-After"))
                pause(attempt) if wait is None else time.sleep(wait + random.uniform(0, 0.1))
                continue
            try:
                answer = json.loads(body)
                code = None if status == 200 else answer["error"]["code"]
            except (ValueError, KeyError, TypeError):
                need(status != 200, "body-is-json", path)
                code = body[:100]
            if status == 200:
                self.figures["without_no_store"] += "no-store" not in headers.get("Cache-Control", "").lower()
                return answer
            if (status, code) == (404, "snapshot_not_found"):
                return None
            raise Resync if (status, code) == (410, "resync_required") else GiveUp(f"HTTP {status} {code} for {path}")
        raise GiveUp(f"{failure} after {TRIES} tries of {path}")

    def run(self):
        for _ in range(MAX_RESYNCS + 1):
            try:
                return self.run_once()
            except Resync:
                self.figures["resyncs"] += 1
                self.token = None
        raise GiveUp(f"410 resync_required {MAX_RESYNCS + 1} times in a row")

    def run_once(self):
        figures, bootstrap, seen = self.figures, self.token is None, set()
        run = {"bootstrap": bootstrap, "bound": None, "last": -1, "listed": set(), "snapshots": {}}
        query = {"bootstrap": "true"} if bootstrap else {"sync_token": self.token}
        query.update(resources=self.args.filter, per_page=self.args.per_page)
        path = "/api/v4/resources/sync?" + urlencode(query)
        while path is not None:
            where = f"run {figures['runs'] + 1} page {len(seen) + 1}"
            need(path not in seen, "page-url-repeated", f"{where}: {path}")
            seen.add(path)
            sync = check_page(self.get(path), run, self.args.per_page, where)
            figures["pages"] += 1
            for index, mutation in enumerate(sync["mutations"]):
                self.apply(mutation, run, f"{where} mutation {index}")
            path = sync["next_page_url"]
        if bootstrap:   # what a bootstrap does not list is not public any more
            self.resources = {k: rows for k, rows in self.resources.items() if k in run["listed"]}
        figures["bound_went_back"] += not bootstrap and run["bound"] < figures["last_bound"]
        figures["last_bound"], self.token, figures["runs"] = run["bound"], sync["next_sync_token"], figures["runs"] + 1
        if self.args.state:
            self.save_state()
        if not self.args.quiet:
            print(f"{where}: {'bootstrap ' * bootstrap}run ends, bound {run['bound']}", file=sys.stderr)

    def apply(self, m, run, where):
        self.figures["mutations"] += 1
        need(isinstance(m, dict) and "resource_content_id" in m, "mutation-members", where)
        seq, kind, group, rid = map(m.get, ("sequence", "type", "resource_group", "resource_id"))
        need([type(v) for v in (seq, kind, group, rid)] == [int, str, str, int], "mutation-members", where)
        where = f"{where} ({kind} {group} {rid}, sequence {seq})"
        need(DATE_TIME.fullmatch(str(m.get("changed_at"))), "changed-at", where)
        need(seq <= run["bound"], "sequence-within-bound", f"{where}: bound {run['bound']}")
        # the description promises an order for incremental runs only
        need(run["bootstrap"] or seq > run["last"], "sequence-ascending", f"{where}: after {run['last']}")
        self.figures["bootstrap_unordered"] += seq <= run["last"]
        self.figures["redelivered"] += not run["bootstrap"] and seq <= self.figures["last_bound"]
        run["last"] = seq
        if kind not in KNOWN_TYPES:
            self.figures["unknown_mutations"] += 1
            return
        need(self.filter.get(group, set()) & {"*", str(rid)}, "within-filter", where)
        need(not run["bootstrap"] or kind == "RESOURCE_CREATE", "bootstrap-lists-creates", where)
        need(not run["bootstrap"] or (group, rid) not in run["listed"], "bootstrap-lists-once", where)
        run["listed"].add((group, rid))
        data, url = m.get("data"), m.get("snapshot_url")
        need(isinstance(data, dict) if kind in ROW_WRITES else data is None, "data-presence", where)
        need((url is not None) == (kind in SNAPSHOT_TYPES), "snapshot-url-presence", where)
        if kind in SNAPSHOT_TYPES:
            check_path(url, f"{where} snapshot_url")
            self.replace(url, (group, rid), seq, run, where)
        elif kind == "RESOURCE_DELETE":
            self.resources.pop((group, rid), None)
        elif kind != "RESOURCE_UPDATE":
            self.apply_row(m, data, (group, rid), seq, run, where)

    def apply_row(self, m, data, resource, seq, run, where):
        kind, key = m.get("record_type"), m.get("record_key")
        if data is not None:
            data_kind, data_key = row_key(resource[0], {"record_type": kind, **data}, where)
            kind, key = kind or data_kind, key or data_key
            need(data_kind == kind and data_key in (None, key), "row-key",
                 f"{where}: {kind} {key}, but the data says {data_kind} {data_key}")
        need(isinstance(kind, str) and isinstance(key, str), "row-without-key", where)
        self.figures["row_older_than_snapshot"] += seq <= run["snapshots"].get(resource, -1)
        rows = self.resources.get(resource)
        if rows is None:   # hidden meanwhile (snapshot 404): no part of a resource is shown
            self.figures["rows_without_resource"] += 1
        elif data is None:
            rows.pop((kind, key), None)
        else:
            rows[kind, key] = canonical(data)

    def replace(self, url, resource, seq, run, where):
        where, least = f"{where} snapshot {url}", max(seq, run["bound"]) if run["bootstrap"] else seq
        for attempt in range(SNAPSHOT_TRIES):
            self.figures["retries"] += attempt > 0
            pause(attempt) if attempt else None
            snapshot = self.get(url)
            if snapshot is None:
                continue
            rows = snapshot_rows(snapshot, *resource, where)
            if snapshot["sync_sequence"] >= least:
                self.figures["snapshots"] += 1
                self.figures["snapshot_rows"] += len(rows)
                self.resources[resource], run["snapshots"][resource] = rows, snapshot["sync_sequence"]
                return
            self.figures["lagging"] += 1
        need(snapshot is None, "snapshot-behind", f"{where}: sync_sequence below {least} in {SNAPSHOT_TRIES} fetches")
        self.figures["hidden"] += 1
        self.resources.pop(resource, None)

    def row_lines(self):
        for (group, rid), rows in self.resources.items():
            yield from [f"{group}\t{rid}\t{kind}\t{key}\t{row}\n" for (kind, key), row in rows.items()]
            yield from [] if rows else [f"{group}\t{rid}\n"]

def main():
    parser = argparse.ArgumentParser()
    for name in ("--base", "--filter", "--state", "--auth-token", "--client-id", "--rows"):
        parser.add_argument(name, required=name in ("--base", "--filter"))
    for name, default in (("--runs", 0), ("--seconds", 0.0), ("--pause", 0.0), ("--per-page", 100)):
        parser.add_argument(name, type=type(default), default=default)
    parser.add_argument("--quiet", action="store_true")
    args = parser.parse_args()
    try:
        client = Client(args)
    except (ValueError, KeyError) as error:
        parser.error(str(error))
    runs, end, code = args.runs or not args.seconds, time.monotonic() + (args.seconds or float("inf")), 0
    try:
        client.run()
        while client.figures["runs"] != runs and time.monotonic() + args.pause < end:
            time.sleep(args.pause)
            client.run()
    except (Violation, GiveUp) as error:
        code = 3 if isinstance(error, Violation) else 1
        print(f"{'violation' if code == 3 else 'gave up'}: {error}", file=sys.stderr)
    if args.rows:
        write_file(args.rows, "".join(sorted(client.row_lines())))
    held = {"resources": len(client.resources), "rows": sum(map(len, client.resources.values())), "exit": code}
    print(json.dumps({**client.figures, **held}))
    return code

if __name__ == "__main__":
    sys.exit(main())
