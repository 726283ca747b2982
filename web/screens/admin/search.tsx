import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../../parts/icons';
import { goWith, usePlace } from '../../router';

const PAUSE_MS = 300;

/** The page of a list, as its address says it. */
export function pageOf(search: URLSearchParams): number {
  const page = Number(search.get('page') ?? 1);
  return Number.isInteger(page) && page >= 1 && page <= 1_000_000 ? page : 1;
}

/** Another filter starts at the first page. */
export function narrow(changes: Readonly<Record<string, string | null>>): void {
  goWith({ page: null, ...changes }, 'replace');
}

export const turnTo = (page: number): void => goWith({ page: page === 1 ? null : String(page) });

/** Asks after a pause in typing; the address keeps what is asked. */
export function SearchBox({ label }: { label: string }) {
  const asked = usePlace().search.get('search') ?? '';
  const [typed, setTyped] = useState(asked);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => setTyped(asked), [asked]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const apply = (text: string): void => {
    clearTimeout(timer.current);
    if (text.trim() !== asked) narrow({ search: text.trim() });
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
      />
    </form>
  );
}

/** A filter that is typed, applied when the field is left or Enter is pressed. */
export function TypedFilter({ name, label, hint }: { name: string; label: string; hint: string }) {
  const asked = usePlace().search.get(name) ?? '';
  const id = `filter-${name}`;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        key={asked}
        id={id}
        type="text"
        defaultValue={asked}
        maxLength={500}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        aria-describedby={`${id}-hint`}
        onChange={(event) => narrow({ [name]: event.currentTarget.value.trim() })}
      />
      <p class="hint" id={`${id}-hint`}>
        {hint}
      </p>
    </div>
  );
}
