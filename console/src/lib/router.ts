// The address: a path below `/console/` and a query. Pages read it, links and `go` change it.

import { cell } from "./cell.js";

export interface Place {
  /** The segments of the path, decoded. */
  segments: string[];
  query: URLSearchParams;
}

const BASE = "/console/";

export function parsePlace(path: string, search: string): Place {
  const rest = path.startsWith(BASE) ? path.slice(BASE.length) : "";
  return { segments: rest.split("/").filter((segment) => segment !== "").map(decoded), query: new URLSearchParams(search) };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** The address of a page: `to("plans", "pro")`. */
export function to(...segments: string[]): string {
  return BASE + segments.map(encodeURIComponent).join("/");
}

export const place = cell<Place>({ segments: [], query: new URLSearchParams() });

/** How often the path changed since the page was loaded: the first page does not take the focus. */
export const navigations = { count: 0 };

function read(): void {
  place.set(parsePlace(location.pathname, location.search));
}

/** Opens a page. */
export function go(address: string, { replace = false, state = null }: { replace?: boolean; state?: unknown } = {}): void {
  if (new URL(address, location.href).pathname !== location.pathname) {
    navigations.count += 1;
    scrollTo(0, 0);
  }
  history[replace ? "replaceState" : "pushState"](state, "", address);
  read();
}

/** Opens the same page with other parameters; an empty value removes one. */
export function goQuery(changes: Readonly<Record<string, string>>, options: { replace?: boolean; state?: unknown } = {}): void {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === "") {
      query.delete(name);
    } else {
      query.set(name, value);
    }
  }
  const text = query.toString();
  go(location.pathname + (text === "" ? "" : `?${text}`), options);
}

export function startRouter(): void {
  read();
  addEventListener("popstate", () => {
    navigations.count += 1;
    read();
  });
  document.addEventListener("click", (event) => {
    const link = (event.target as Element).closest?.("a[href]");
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!(link instanceof HTMLAnchorElement) || !isPlain || event.defaultPrevented || link.target !== "" || link.download !== "") {
      return;
    }
    const isOurs = link.origin === location.origin && link.pathname.startsWith(BASE) && !link.pathname.startsWith(`${BASE}oidc/`);
    if (isOurs && !(link.hash !== "" && link.pathname === location.pathname)) {
      event.preventDefault();
      go(link.href);
    }
  });
}
