import { api, bodyOf } from '../../api/client';
import { Failure, failureOf, refusalText } from '../../api/failure';
import { outdate } from '../../data/query';
import { Store, useStore } from '../../data/store';
import { texts } from '../../texts';
import { type Batch, type Outcome, sendBatches } from './batches';

/** A limit that lasts longer than this is left to who made the lines. */
const MAX_WAIT_MS = 120_000;

interface State {
  /** Null while nothing was sent. */
  readonly batches: readonly Batch[] | null;
  readonly failure: Failure | null;
  /** When a limit has run out that the next batch waits for; null where none does. */
  readonly waitsUntil: number | null;
}

const IDLE: State = { batches: null, failure: null, waitsUntil: null };

/** The run goes on while its dialog is closed, and is there when that is opened again. */
const state = new Store<State>(IDLE);
let isRunning = false;

export function useRun() {
  const now = useStore(state);
  return {
    ...now,
    start: (batches: readonly Batch[]): void => {
      state.set({ ...IDLE, batches });
      void run();
    },
    resume: (): void => void run(),
    reset: (): void => {
      if (!isRunning) state.set(IDLE);
    },
  };
}

/** Outcomes of the lines, in their order, as far as the run has come. */
export function outcomesOf(batches: readonly Batch[]): readonly Outcome[] {
  return batches.flatMap(({ outcomes }) => outcomes ?? []);
}

async function run(): Promise<void> {
  if (isRunning) return;
  isRunning = true;
  try {
    for (;;) {
      state.set({ ...state.get(), failure: null, waitsUntil: null });
      const waitsUntil = await sendRest();
      if (waitsUntil === null) break;
      state.set({ ...state.get(), waitsUntil });
      await new Promise((resolve) => setTimeout(resolve, waitsUntil - Date.now()));
    }
  } finally {
    isRunning = false;
    outdate('links', 'overview', 'tags');
  }
}

/** Sends what is left; returns the time to go on at where a limit ended it. */
async function sendRest(): Promise<number | null> {
  try {
    await sendBatches(state.get().batches ?? [], sendBatch, (batches) =>
      state.set({ ...state.get(), batches }),
    );
  } catch (thrown) {
    const failure = failureOf(thrown);
    const { status, retryAt } = failure;
    const isLimit = status === 429 && retryAt !== null && retryAt - Date.now() < MAX_WAIT_MS;
    if (isLimit) return retryAt;
    state.set({ ...state.get(), failure });
  }
  return null;
}

async function sendBatch({ key, lines }: Batch): Promise<readonly Outcome[]> {
  const { results } = await bodyOf(
    api.POST('/api/v1/urls/bulk/create', {
      body: { links: lines.map(({ input }) => input) },
      headers: { 'Idempotency-Key': key },
    }),
  );
  // A line that met a fault of the service may still be made: the same batch again keeps the others.
  const isUnfinished = results.some(({ error_code: code }) =>
    ['internal', 'not_attempted'].includes(code ?? ''),
  );
  if (isUnfinished) throw new Failure(texts.problems.unknown, 500, 'internal');
  return results.map(({ url, field, error_code: code, error }) =>
    url === null
      ? { refusal: refusalText(code ?? 'unknown', field, error) }
      : { shortUrl: url.short_url },
  );
}
