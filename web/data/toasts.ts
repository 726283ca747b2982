import { failureOf } from '../api/failure';
import { Store } from './store';

export const UNDO_MS = 10_000;
const MAX_TOASTS = 3;

/** A short message. With `undo`, the action runs after a delay. */
export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isProblem: boolean;
  readonly endsAt: number;
  readonly undo: (() => void) | null;
  readonly done: (() => void) | null;
}

export const toasts = new Store<readonly Toast[]>([]);

let lastId = 0;
const timers = new Map<number, ReturnType<typeof setTimeout>>();

export function say(text: string, { isProblem = false } = {}): void {
  add({ text, isProblem, undo: null, done: null }, 6000);
}

export function sayFailure(thrown: unknown): void {
  say(failureOf(thrown).said, { isProblem: true });
}

/**
 * Announces an action, and runs it after a delay unless the user undoes it. Runs immediately if the
 * page unloads.
 */
export function sayUndoable(text: string, actions: { undo: () => void; done: () => void }): number {
  return add({ text, isProblem: false, ...actions }, UNDO_MS);
}

function add(toast: Omit<Toast, 'id' | 'endsAt'>, ms: number): number {
  const id = ++lastId;
  const all = [...toasts.get(), { ...toast, id, endsAt: Date.now() + ms }];
  // Ends the oldest toasts, which runs their actions.
  for (const old of all.slice(0, Math.max(all.length - MAX_TOASTS, 0))) end(old.id);
  toasts.set(all.slice(-MAX_TOASTS));
  timers.set(
    id,
    setTimeout(() => end(id), ms),
  );
  return id;
}

export function end(id: number): void {
  const toast = take(id);
  toast?.done?.();
}

export function undo(id: number): void {
  const toast = take(id);
  toast?.undo?.();
}

export function take(id: number): Toast | undefined {
  clearTimeout(timers.get(id));
  timers.delete(id);
  const toast = toasts.get().find((each) => each.id === id);
  toasts.set(toasts.get().filter((each) => each.id !== id));
  return toast;
}

export function hold(id: number): void {
  clearTimeout(timers.get(id));
}

export function letGo(id: number): void {
  const toast = toasts.get().find((each) => each.id === id);
  if (toast === undefined) return;
  clearTimeout(timers.get(id));
  timers.set(
    id,
    setTimeout(() => end(id), 4000),
  );
}

addEventListener('pagehide', () => {
  for (const { id } of toasts.get()) end(id);
});
