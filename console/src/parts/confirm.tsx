// A question before an action that cannot simply be undone.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { guarded } from "../lib/api.js";
import { announce } from "../lib/session.js";
import { Dialog } from "./dialog.js";
import { Problem } from "./problem.js";

interface ConfirmProps {
  title: string;
  children: ComponentChildren;
  act: () => Promise<unknown>;
  button: string;
  keep?: string;
  done: string;
  close: () => void;
  saved: (result: unknown) => void;
  /** Text that must be typed first. */
  typed?: { label: string; text: string } | undefined;
}

export function Confirm({ title, children, act, button, keep = "Cancel", done, close, saved, typed }: ConfirmProps) {
  const [failure, setFailure] = useState<unknown>();
  const [isActing, setActing] = useState(false);
  const [text, setText] = useState("");
  const isReady = !isActing && (typed === undefined || text === typed.text);
  const run = async (): Promise<void> => {
    setActing(true);
    try {
      const result = await guarded(act);
      announce(done);
      saved(result);
    } catch (error) {
      setFailure(error);
    } finally {
      setActing(false);
    }
  };
  const onSubmit = (event: Event): void => {
    event.preventDefault();
    if (isReady) {
      void run();
    }
  };
  return (
    <Dialog title={title} close={close}>
      <form onSubmit={onSubmit}>
        {failure !== undefined && <Problem error={failure} />}
        {children}
        {typed !== undefined && (
          <div class="field">
            <label for="typed">{typed.label}</label>
            <input id="typed" autocomplete="off" value={text} onInput={(event) => setText(event.currentTarget.value)} />
          </div>
        )}
        <div class="actions">
          <button type="button" onClick={close} data-focus={typed === undefined ? true : undefined}>
            {keep}
          </button>
          <button type="submit" class="danger" disabled={typed !== undefined && !isReady} aria-disabled={!isReady}>
            {button}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
