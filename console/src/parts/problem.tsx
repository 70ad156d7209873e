// What is shown when a call failed: why, its code, its request ID, and another attempt. If the server names a time, it counts down
// and tries again.

import { useEffect, useState } from "preact/hooks";
import { shown } from "../lib/api.js";
import { Id } from "./basics.js";

export function Problem({ error, retry }: { error: unknown; retry?: (() => void) | undefined }) {
  const { detail, code, requestId, retryAfterMs } = shown(error);
  return (
    <div class="problem" role="alert" tabIndex={-1}>
      <p>
        <strong dir="auto">{detail}</strong>
      </p>
      {code !== undefined && (
        <p>
          Code: <a href={`/docs/errors#${code}`}>{code}</a>
        </p>
      )}
      {requestId !== undefined && (
        <p class="request">
          Request ID: <Id id={requestId} />
        </p>
      )}
      {retry !== undefined && (
        <p class="actions">
          <button type="button" onClick={retry}>
            Try again
          </button>
          {retryAfterMs !== undefined && <Countdown key={String(requestId)} milliseconds={retryAfterMs} done={retry} />}
        </p>
      )}
    </div>
  );
}

function Countdown({ milliseconds, done }: { milliseconds: number; done: () => void }) {
  const [left, setLeft] = useState(Math.max(1, Math.ceil(milliseconds / 1000)));
  useEffect(() => {
    const timer = setTimeout(() => (left <= 1 ? done() : setLeft(left - 1)), 1000);
    return () => clearTimeout(timer);
  }, [left]);
  // The alert was announced once; the seconds are not.
  return <span aria-hidden="true">Trying again in {left} s</span>;
}
