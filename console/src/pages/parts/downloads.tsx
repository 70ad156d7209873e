// Documents: the browser stores what the API renders.

import { guarded, PerennialProblem } from "../../lib/api.js";
import { save } from "../../lib/csv.js";

/** Reads a document as the operator and lets the browser store it. */
async function downloadDocument(path: string, name: string, format: "pdf" | "html"): Promise<void> {
  const response = await fetch(`${path}/document?format=${format}`, { credentials: "same-origin", headers: { "x-perennial-console": "1" } });
  if (!response.ok) {
    throw new PerennialProblem((await response.json()) as ConstructorParameters<typeof PerennialProblem>[0]);
  }
  save(`${name}.${format}`, await response.blob());
}

export function Downloads({ path, name, failed }: { path: string; name: string; failed: (error: unknown) => void }) {
  const read = (format: "pdf" | "html") => (): void => void guarded(() => downloadDocument(path, name, format)).catch(failed);
  return (
    <div class="actions after">
      <button type="button" onClick={read("pdf")}>
        Download PDF
      </button>
      <button type="button" onClick={read("html")}>
        Download HTML
      </button>
    </div>
  );
}
