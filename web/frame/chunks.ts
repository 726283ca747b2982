import { useEffect, useReducer, useState } from 'preact/hooks';
import { connection, lost } from '../data/connection';

/** Loads a code chunk, whose file name changes with each release. */
export type Load<T> = () => Promise<T>;

export const loadNewLink = () => import('../screens/links/new-link');
export const loadPalette = () => import('./palette');
export const loadMany = () => import('../screens/many/many');

/** `away`: the service is unreachable; `gone`: a new release has replaced the file. */
export type Missing = 'away' | 'gone';

/**
 * Loads a chunk. Retries on `retry` and when the service is reachable again.
 * @param load null if the chunk is not needed yet
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

/** Loads chunks one by one when the browser is idle and the service is reachable. */
export function loadWhenIdle(loads: readonly Load<unknown>[]): void {
  const whenIdle = (globalThis as { requestIdleCallback?: typeof requestIdleCallback })
    .requestIdleCallback;
  const [load, ...others] = loads;
  if (load === undefined) return;
  const next = (): void => {
    void load()
      .catch(() => undefined)
      .then(() => loadWhenIdle(others));
  };
  if (whenIdle === undefined) setTimeout(next, 500);
  else whenIdle(next);
}
