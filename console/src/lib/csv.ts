// CSV files (RFC 4180) that a spreadsheet opens without running formulas.

/** A cell: text that a spreadsheet would take for a formula gets a leading apostrophe. */
export function csvCell(value: unknown): string {
  const text = value === null || value === undefined ? "" : String(value);
  const isNumber = typeof value === "number";
  const safe = !isNumber && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
}

export function csv(header: readonly string[], rows: readonly (readonly unknown[])[]): string {
  return [header, ...rows].map((row) => `${row.map(csvCell).join(",")}\r\n`).join("");
}

export function download(name: string, text: string): void {
  save(name, new Blob([text], { type: "text/csv;charset=utf-8" }));
}

/** Lets the browser store a file. */
export function save(name: string, contents: Blob): void {
  const url = URL.createObjectURL(contents);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
