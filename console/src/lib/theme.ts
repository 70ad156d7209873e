// Light, dark, or as the system has it.

import { stored } from "./stored.js";

const NEXT: Readonly<Record<string, string>> = { auto: "light", light: "dark", dark: "auto" };

export const theme = stored("theme", "auto");

export function nextTheme(): void {
  theme.set(NEXT[theme.get()] ?? "auto");
}

/** Before the first paint: the script blocks it. */
export function startTheme(): void {
  const apply = (): void => {
    document.documentElement.dataset["theme"] = theme.get() in NEXT ? theme.get() : "auto";
  };
  apply();
  theme.subscribe(apply);
}
