/// The files that pages load: a style sheet, a script and an icon.
enum InspectorAssets {
    static let icon = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#2f6f5e"/><path \
        d="M3 4h10v2H3zm0 3h10v2H3zm0 3h6v2H3z" fill="#fff"/></svg>
        """

    /// Shows a page anew when the store has another commit, unless someone is writing into one of its fields.
    static let script = """
        "use strict";
        const live = document.getElementById("live");
        function isBusy() {
          const focused = document.activeElement;
          return document.hidden || document.querySelector("details[open]") !== null
            || (focused !== null && /^(INPUT|TEXTAREA|SELECT|BUTTON)$/.test(focused.tagName))
            || String(document.getSelection()) !== "";
        }
        async function show(commit) {
          const response = await fetch(location.href);
          const page = new DOMParser().parseFromString(await response.text(), "text/html");
          const [old, fresh] = [document.querySelector("main"), page.querySelector("main")];
          if (fresh === null || isBusy()) return;
          const links = [...old.querySelectorAll("a[href]")];
          const index = links.indexOf(document.activeElement);
          const target = index < 0 ? null : links[index].getAttribute("href");
          old.innerHTML = fresh.innerHTML;
          old.dataset.commit = fresh.dataset.commit;
          document.querySelector("footer").firstElementChild.firstChild.data = "Commit " + fresh.dataset.commit + " ";
          if (target !== null) {
            const again = [...old.querySelectorAll("a[href]")].find((link) => link.getAttribute("href") === target);
            if (again !== undefined) again.focus({ preventScroll: true });
          }
        }
        async function watch() {
          const main = document.querySelector("main");
          if (!main.dataset.commit) return;
          if (!document.hidden) {
            try {
              const response = await fetch("./commit");
              const commit = await response.text();
              live.textContent = "";
              if (response.ok && commit !== main.dataset.commit && !isBusy()) await show(commit);
            } catch {
              live.textContent = "cachetool was ended: this page shows the past.";
            }
          }
          setTimeout(watch, 1000);
        }
        setTimeout(watch, 1000);
        """
}
