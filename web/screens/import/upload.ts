import { type Schemas, renewSession } from '../../api/client';
import { Failure, failureOf } from '../../api/failure';
import { lost } from '../../data/connection';
import { outdate } from '../../data/query';
import { Store } from '../../data/store';

export type Import = Schemas['ImportResponse'];
export type Column = Schemas['ImportColumnResponse'];

interface Upload {
  readonly isRunning: boolean;
  /** From 0 to 1. */
  readonly share: number;
  readonly failure: Failure | null;
  /** Columns to choose from, once the header did not say enough. */
  readonly columns: readonly Column[] | null;
}

const IDLE: Upload = { isRunning: false, share: 0, failure: null, columns: null };

/** The upload goes on while another screen is looked at. */
export const upload = new Store<Upload>(IDLE);

const askBeforeLeaving = (event: BeforeUnloadEvent): void => event.preventDefault();

/** Forgets what was refused, when something else is chosen. */
export function forgetRefusal(): void {
  if (!upload.get().isRunning) upload.set(IDLE);
}

/** Sends a file to be checked; null where it was refused, which the store tells. */
export async function sendFile(
  source: string,
  options: object,
  file: File,
): Promise<Import | null> {
  const { columns, isRunning } = upload.get();
  if (isRunning) return null;
  upload.set({ ...IDLE, isRunning: true, columns });
  addEventListener('beforeunload', askBeforeLeaving);
  try {
    const form = new FormData();
    form.set('source', source);
    form.set('options', JSON.stringify(options));
    form.set('file', file);
    const made = await accepted(form);
    upload.set(IDLE);
    outdate('imports');
    return made;
  } catch (thrown) {
    const found = thrown instanceof MappingFailure ? thrown.columns : columns;
    const failure = thrown instanceof MappingFailure ? thrown.failure : failureOf(thrown);
    upload.set({ ...IDLE, failure, columns: found });
    return null;
  } finally {
    removeEventListener('beforeunload', askBeforeLeaving);
  }
}

class MappingFailure extends Error {
  constructor(
    readonly failure: Failure,
    readonly columns: readonly Column[],
  ) {
    super(failure.message);
  }
}

async function accepted(form: FormData): Promise<Import> {
  let answer = await post(form);
  if (answer.status === 401) {
    await renewSession();
    answer = await post(form);
  }
  const body = (await answer.json().catch(() => ({}))) as Import & {
    details?: { columns?: readonly Column[] };
  };
  if (answer.ok) return body;
  const failure = Failure.from(answer, body);
  const { columns } = body.details ?? {};
  throw columns === undefined ? failure : new MappingFailure(failure, columns);
}

/** Unlike `fetch`, this tells how much of a body is sent. */
function post(form: FormData): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.upload.onprogress = ({ loaded, total }) =>
      upload.set({ ...upload.get(), share: total === 0 ? 0 : loaded / total });
    request.onerror = () => {
      lost();
      reject(Failure.away());
    };
    request.onload = () => {
      const headers = new Headers();
      for (const name of ['Retry-After', 'X-Request-ID']) {
        const value = request.getResponseHeader(name);
        if (value !== null) headers.set(name, value);
      }
      resolve(new Response(request.responseText, { status: request.status, headers }));
    };
    request.open('POST', '/api/v1/imports');
    request.send(form);
  });
}
