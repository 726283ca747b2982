import { useEffect, useReducer, useState } from 'preact/hooks';
import { connection, lost } from '../data/connection';

/** Loads a part of the app that is a file of its own; the name of the file changes with releases. */
export type Load<T> = () => Promise<T>;

export const loadNewLink = () => import('../screens/links/new-link');
export const loadMany = () => import('../screens/many/many');

/** Why a part is not there: nobody answers, or its file is no longer among those of the service. */
export type Missing = 'away' | 'gone';

/**
 * A part of the app, when it is there. After a failure it is loaded anew by `retry`, and by itself
 * once the service answers again.
 *
 * @param load null while the part is not needed
 */
export function useChunk<T>(load: Load<T> | null) {
  const [chunk, setChunk] = useState<T | null>(null);
  const [missing, setMissing] = useState<Missing | null>(null);
  const [tries, retry] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    if (load === null || chunk !== null) return;
    let isWanted = true;
    load().then(
      (loaded) => isWanted && setChunk(loaded),
      async () => {
        const why = await reasonOf();
        if (isWanted) setMissing(why);
      },
    );
    return () => {
      isWanted = false;
    };
  }, [load, tries]);
  useEffect(() => {
    if (missing !== 'away') return;
    return connection.subscribe((state) => {
      if (state === 'there') again();
    });
  }, [missing]);
  const again = (): void => {
    setMissing(null);
    retry(undefined);
  };
  return { chunk, missing, retry: again };
}

async function reasonOf(): Promise<Missing> {
  try {
    await fetch('/health', { signal: AbortSignal.timeout(5000) });
    return 'gone';
  } catch {
    lost();
    return 'away';
  }
}

/** Loads parts one after another while nothing else is to be done: later the service may be away. */
export function loadWhenIdle(loads: readonly Load<unknown>[]): void {
  const whenIdle = (globalThis as { requestIdleCallback?: typeof requestIdleCallback })
    .requestIdleCallback;
  const [load, ...others] = loads;
  if (load === undefined) return;
  const next = (): void => {
    // The screen that needs the part tells of it.
    void load()
      .catch(() => undefined)
      .then(() => loadWhenIdle(others));
  };
  if (whenIdle === undefined) setTimeout(next, 500);
  else whenIdle(next);
}
