import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from './icons';

const PAUSE_MS = 300;

interface SearchBoxProps {
  readonly label: string;
  readonly current: string;
  readonly ask: (text: string) => void;
  readonly onKeyDown?: (event: KeyboardEvent, input: HTMLInputElement) => void;
  readonly children?: ComponentChildren;
}

/** Searches after a pause in typing. */
export function SearchBox({ label, current, ask, onKeyDown, children }: SearchBoxProps) {
  const [typed, setTyped] = useState(current);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => setTyped(current), [current]);
  // A pending search must not navigate back from another screen.
  useEffect(() => () => clearTimeout(timer.current), []);
  const apply = (text: string): void => {
    clearTimeout(timer.current);
    if (text.trim() !== current) ask(text.trim());
  };
  return (
    <form
      class="search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        apply(typed);
      }}
    >
      <Icon name="search" />
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        maxLength={500}
        value={typed}
        onInput={(event) => {
          const text = event.currentTarget.value;
          setTyped(text);
          clearTimeout(timer.current);
          timer.current = setTimeout(() => apply(text), PAUSE_MS);
        }}
        onKeyDown={(event) => onKeyDown?.(event, event.currentTarget)}
      />
      {children}
    </form>
  );
}
