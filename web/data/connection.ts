import { Store } from './store';

export const connection = new Store<'there' | 'away'>('there');

const FIRST_WAIT = 1000;
const MAX_WAIT_MS = 8000;
const ANSWER_WITHIN = 5000;

/** Shows that the service is unreachable, and polls until it responds. */
export function lost(): void {
  if (connection.get() === 'away') return;
  connection.set('away');
  void waitUntilThere();
}

async function waitUntilThere(): Promise<void> {
  for (let wait = FIRST_WAIT; ; wait = Math.min(wait * 1.5, MAX_WAIT_MS)) {
    await new Promise((resolve) => setTimeout(resolve, wait));
    try {
      const answer = await fetch('/health', { signal: AbortSignal.timeout(ANSWER_WITHIN) });
      if (!answer.ok) continue;
    } catch {
      continue;
    }
    connection.set('there');
    return;
  }
}
