// Modal dialogs. The browser traps the focus and returns it; Escape closes.

import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";

export function Dialog({ title, close, children, wide = false }: { title: string; close: () => void; children: ComponentChildren; wide?: boolean }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const element = dialog.current;
    const before = document.activeElement;
    element?.showModal();
    (element?.querySelector<HTMLElement>("[data-focus]") ?? element?.querySelector<HTMLElement>("input, select, textarea, button"))?.focus();
    return () => {
      element?.close();
      if (before instanceof HTMLElement && before.isConnected) {
        before.focus();
      }
    };
  }, []);
  const cancel = (event: Event): void => {
    // A dialog may be open above this one; the event is only its own.
    if (event.target === dialog.current) {
      event.preventDefault();
      close();
    }
  };
  return (
    <dialog ref={dialog} aria-labelledby={id} class={wide ? "wide" : ""} onCancel={cancel}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}
