extension InspectorAssets {
    /// Light and dark by the system's choice; text has a contrast of at least 4.5 to 1 (WCAG 2.2, 1.4.3).
    static let style = """
        :root {
          color-scheme: light dark;
          --back: #ffffff; --panel: #f4f6f5; --text: #1b2421; --soft: #55635e; --line: #d4dbd8;
          --link: #135f9a; --accent: #2f6f5e; --good: #1d6b3c; --bad: #a12a1c; --mark: #ffe89a;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --back: #121816; --panel: #1b2320; --text: #e4ebe8; --soft: #a3b1ac; --line: #34403b;
            --link: #8cc4f2; --accent: #7cc5ae; --good: #83d39f; --bad: #ff9c8d; --mark: #5b4a00;
          }
        }
        * { box-sizing: border-box; }
        body { margin: 0; background: var(--back); color: var(--text); font: 15px/1.45 system-ui, sans-serif; }
        a { color: var(--link); }
        a:focus-visible, button:focus-visible, input:focus-visible, textarea:focus-visible, summary:focus-visible,
        [tabindex]:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
        main:focus { outline: none; }
        .skip { position: absolute; left: -100em; }
        .skip:focus { left: 1em; top: 0.5em; background: var(--back); padding: 0.3em; }
        header { background: var(--panel); border-bottom: 1px solid var(--line); padding: 0.6em 1.2em; }
        .store { margin: 0 0 0.4em; color: var(--soft); overflow-wrap: anywhere; }
        .store strong { color: var(--accent); font-size: 1.15em; margin-right: 0.4em; }
        .mode { border: 1px solid var(--line); border-radius: 1em; padding: 0.05em 0.7em; white-space: nowrap; }
        nav ul { display: flex; flex-wrap: wrap; gap: 0.2em; list-style: none; margin: 0; padding: 0; }
        nav a { display: block; padding: 0.25em 0.7em; border-radius: 0.4em; text-decoration: none; color: var(--text); }
        nav a:hover { background: var(--line); }
        nav a[aria-current] { background: var(--accent); color: var(--back); }
        main { padding: 0.4em 1.2em 2em; max-width: 90em; }
        footer { color: var(--soft); padding: 0 1.2em 1em; border-top: 1px solid var(--line); }
        h1 { font-size: 1.5em; margin: 0.5em 0; overflow-wrap: anywhere; }
        h2 { font-size: 1.1em; margin: 1.4em 0 0.4em; overflow-wrap: anywhere; }
        .wide { overflow-x: auto; margin: 0.6em 0 1.2em; }
        table { border-collapse: collapse; min-width: 40em; }
        caption { text-align: left; font-weight: 600; padding: 0.3em 0; }
        th, td { text-align: left; vertical-align: top; padding: 0.3em 1.1em 0.3em 0; border-bottom: 1px solid var(--line);
          overflow-wrap: break-word; max-width: 36em; }
        td code { overflow-wrap: anywhere; }
        summary { white-space: nowrap; }
        thead th { color: var(--soft); font-weight: 600; white-space: nowrap; }
        tbody th { font-weight: 400; }
        th.number, td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
        tbody tr:hover { background: var(--panel); }
        time { white-space: nowrap; }
        td time, dd time { white-space: normal; }
        time span { white-space: nowrap; }
        code, pre, .path, textarea { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: 0.9em; }
        pre { background: var(--panel); border: 1px solid var(--line); border-radius: 0.4em; padding: 0.6em; margin: 0.3em 0;
          overflow-x: auto; max-height: 40em; overflow-y: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
        mark { background: var(--mark); color: inherit; display: inline-block; width: 100%; }
        .facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(13em, 1fr)); gap: 0.6em; margin: 0.8em 0; }
        .facts div { background: var(--panel); border: 1px solid var(--line); border-radius: 0.4em; padding: 0.4em 0.7em; }
        dt { color: var(--soft); font-size: 0.9em; }
        dd { margin: 0; overflow-wrap: anywhere; }
        .panels { display: grid; grid-template-columns: repeat(auto-fit, minmax(22em, 1fr)); gap: 1em; }
        .panels section { min-width: 0; }
        .good { color: var(--good); } .bad { color: var(--bad); }
        .hint, .empty, .small { color: var(--soft); }
        .why { font-size: 1.1em; }
        form.line { display: flex; flex-wrap: wrap; gap: 0.8em; align-items: end; margin: 0.6em 0; }
        form.sql textarea { display: block; width: 100%; margin: 0.2em 0 0.7em; }
        input, textarea, button { font: inherit; color: inherit; background: var(--back); border: 1px solid var(--soft);
          border-radius: 0.3em; padding: 0.25em 0.5em; }
        input[type="checkbox"] { accent-color: var(--accent); }
        button { background: var(--panel); cursor: pointer; padding: 0.25em 0.9em; }
        button.danger { color: var(--bad); border-color: var(--bad); }
        .paging a { margin-right: 1em; }
        .problem { border-left: 0.35em solid var(--soft); padding: 0.1em 0 0.4em 0.9em; margin: 1em 0; }
        .problem h2 { margin: 0.2em 0; font-size: 1em; }
        .problem.broken { border-color: var(--bad); } .problem.attention { border-color: var(--accent); }
        .severity { color: var(--soft); font-weight: 400; } .broken .severity { color: var(--bad); }
        .problem dl { margin: 0.2em 0; display: grid; grid-template-columns: max-content 1fr; gap: 0.1em 0.8em; }
        .treemap { width: 100%; display: block; margin: 0.6em 0; }
        .treemap .part { stroke: var(--back); stroke-width: 2; }
        .treemap text { fill: #ffffff; font: 12px system-ui, sans-serif; pointer-events: none; }
        .treemap .small { font-size: 11px; }
        .treemap a:hover .part { opacity: 0.8; }
        .timeline { width: 100%; display: block; margin: 0.6em 0; }
        .timeline text { fill: var(--text); font: 13px system-ui, sans-serif; }
        .timeline line { stroke: var(--line); stroke-width: 1; }
        .timeline .same { fill: var(--soft); } .timeline .changed { fill: var(--good); } .timeline .failed { fill: var(--bad); }
        .color0 { fill: #2f6f5e; } .color1 { fill: #35618f; } .color2 { fill: #8a5a1c; } .color3 { fill: #8b3a4a; }
        .color4 { fill: #5a5290; } .color5 { fill: #4d6b2f; } .color6 { fill: #6b5d55; } .color7 { fill: #66716d; }
        """
}
