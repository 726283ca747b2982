import { useState } from 'preact/hooks';
import { account } from './first-answer';

/**
 * Keeps unsent form input until the tab closes, even after a reload or an expired session. Never
 * keeps passwords.
 * @param initial value before any input
 */
export function useDraft<T extends object>(
  name: string,
  initial: T,
  secrets: readonly (keyof T)[] = [],
): [T, (changes: Partial<T>) => void, () => void, boolean] {
  const key = `curtail.draft:${account.get()?.id ?? ''}:${name}`;
  const [draft, setDraft] = useState<{ key: string; typed: Partial<T> }>(() => ({
    key,
    typed: read<T>(key),
  }));
  const typed = draft.key === key ? draft.typed : read<T>(key);
  const change = (changes: Partial<T>): void => {
    const next = { ...typed, ...changes };
    setDraft({ key, typed: next });
    const kept = Object.fromEntries(
      Object.entries(next).filter(([field]) => !secrets.includes(field as keyof T)),
    );
    try {
      sessionStorage.setItem(key, JSON.stringify(kept));
    } catch {
      // Too large for the storage, so the input is kept only until the page unloads.
      sessionStorage.removeItem(key);
    }
  };
  const forget = (): void => {
    sessionStorage.removeItem(key);
    setDraft({ key, typed: {} });
  };
  return [{ ...initial, ...typed }, change, forget, Object.keys(typed).length > 0];
}

function read<T>(key: string): Partial<T> {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? '{}') as Partial<T>;
  } catch {
    return {};
  }
}
