import { useEffect, useReducer, useRef } from 'preact/hooks';
import { type Failure, failureOf } from '../api/failure';
import { connection } from './connection';

/** Maximum number of cached responses. The least recently used are dropped. */
const MAX_ANSWERS = 40;
/** Cached responses that are newer than this are not refreshed. */
const FRESH_MS = 20_000;

interface Entry {
  value: unknown;
  failure: Failure | null;
  at: number;
  running: Promise<void> | null;
  load: () => Promise<unknown>;
  retry: ReturnType<typeof setTimeout> | null;
  readonly listeners: Set<() => void>;
}

const entries = new Map<string, Entry>();

export interface Query<T> {
  readonly value: T | undefined;
  readonly failure: Failure | null;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/**
 * Fetches and caches a response. Concurrent queries with the same key share a request.
 * @param key null for no request
 * @param everyMs poll interval while the page is visible
 */
export function useQuery<T>(
  key: string | null,
  load: () => Promise<T>,
  { everyMs }: { everyMs?: number } = {},
): Query<T> {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    if (key === null) return;
    const entry = entryFor(key, load);
    entry.listeners.add(redraw as () => void);
    if (Date.now() - entry.at > FRESH_MS) void ask(entry);
    redraw(undefined);
    return () => {
      entry.listeners.delete(redraw as () => void);
      if (entry.listeners.size > 0 || entry.retry === null) return;
      clearTimeout(entry.retry);
      entry.retry = null;
    };
  }, [key]);
  useEffect(() => {
    if (key === null || everyMs === undefined) return;
    const timer = setInterval(() => {
      const entry = entries.get(key);
      if (entry !== undefined && !document.hidden && connection.get() === 'there') void ask(entry);
    }, everyMs);
    return () => clearInterval(timer);
  }, [key, everyMs]);
  const entry = key === null ? undefined : entries.get(key);
  return {
    value: entry?.value as T | undefined,
    failure: entry?.failure ?? null,
    isLoading: key !== null && (entry === undefined || entry.running !== null),
    reload: () => {
      if (entry !== undefined) void ask(entry);
    },
  };
}

function entryFor(key: string, load: () => Promise<unknown>): Entry {
  const known = entries.get(key);
  // Keeps the least recently used entries first.
  entries.delete(key);
  const entry: Entry = known ?? {
    value: undefined,
    failure: null,
    at: 0,
    running: null,
    load,
    retry: null,
    listeners: new Set(),
  };
  entry.load = load;
  entries.set(key, entry);
  for (const [oldest, { listeners }] of entries) {
    if (entries.size <= MAX_ANSWERS) break;
    if (listeners.size === 0) entries.delete(oldest);
  }
  return entry;
}

function ask(entry: Entry): Promise<void> {
  entry.running ??= entry
    .load()
    .then((value) => {
      entry.value = value;
      entry.failure = null;
      entry.at = Date.now();
    })
    .catch((thrown: unknown) => {
      entry.failure = failureOf(thrown);
      comeBack(entry);
    })
    .finally(() => {
      entry.running = null;
      for (const listener of [...entry.listeners]) listener();
    });
  for (const listener of [...entry.listeners]) listener();
  return entry.running;
}

function comeBack(entry: Entry): void {
  const { retryAt } = entry.failure ?? {};
  if (retryAt === null || retryAt === undefined || entry.retry !== null) return;
  entry.retry = setTimeout(
    () => {
      entry.retry = null;
      if (entry.listeners.size > 0) void ask(entry);
    },
    Math.max(retryAt - Date.now(), 0) + 250,
  );
}

export function outdate(...prefixes: string[]): void {
  for (const [key, entry] of entries) {
    if (!prefixes.some((prefix) => key.startsWith(prefix))) continue;
    entry.at = 0;
    if (entry.listeners.size > 0) void ask(entry);
  }
}

export function know(key: string, value: unknown): void {
  const entry = entries.get(key);
  if (entry === undefined) return;
  entry.value = value;
  entry.failure = null;
  for (const listener of [...entry.listeners]) listener();
}

connection.subscribe((state) => {
  if (state === 'away') return;
  for (const entry of entries.values()) {
    if (entry.failure !== null && entry.listeners.size > 0) void ask(entry);
  }
});

/** Returns the last defined value, so that a screen does not flicker while loading. */
export function useKept<T>(value: T | undefined): T | undefined {
  const kept = useRef(value);
  if (value !== undefined) kept.current = value;
  return value ?? kept.current;
}
