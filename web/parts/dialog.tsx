import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { texts } from '../texts';
import { Icon } from './icons';

interface DialogProps {
  readonly title: string;
  readonly close: () => void;
  /** `drawer` slides in from the side; `wide` has room for a table. */
  readonly kind?: 'drawer' | 'modal' | 'wide';
  readonly children: ComponentChildren;
}

/** A native dialog, which traps focus, closes on Esc and restores focus. */
export function Dialog({ title, close, kind = 'modal', children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const element = dialog.current;
    const opener = document.activeElement as HTMLElement | null;
    element?.showModal();
    element?.querySelector<HTMLElement>('[data-autofocus]')?.focus();
    return () => {
      element?.close();
      const active = document.activeElement;
      const isInside = active === document.body || element?.contains(active) === true;
      // Does not restore focus if the user has already moved it.
      if (active !== null && active !== opener && !isInside) return;
      const back = opener?.isConnected && opener !== document.body ? opener : null;
      (back ?? document.querySelector<HTMLElement>('main h1'))?.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={kind}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onMouseDown={(event) => {
        if (event.target === dialog.current) close();
      }}
    >
      <div class="dialog-content">
        <header>
          <h2 id={id}>{title}</h2>
          <button type="button" class="plain icon-only" onClick={close} aria-label={texts.close}>
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
