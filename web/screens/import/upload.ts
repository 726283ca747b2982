import { renewSession } from '../../api/client';
import { Failure, failureOf } from '../../api/failure';
import { lost } from '../../data/connection';
import { outdate } from '../../data/query';
import { Store } from '../../data/store';
import type { Column, Import } from './standing';

interface Upload {
  readonly isRunning: boolean;
  readonly share: number;
  readonly failure: Failure | null;
  /** Columns to choose from if the header is ambiguous. */
  readonly columns: readonly Column[] | null;
}

const IDLE: Upload = { isRunning: false, share: 0, failure: null, columns: null };

/** The current upload, which continues while another screen is open. */
export const upload = new Store<Upload>(IDLE);

/** Input for a new import, copied from an import that the user corrects. */
export interface Correction {
  readonly source: string;
  readonly base_url: string;
  readonly options: Import['options'];
  /** Null if the page was reloaded since, because only the browser has the file. */
  readonly file: File | null;
}

let sent: { readonly id: string; readonly file: File } | null = null;
let correction: Correction | null = null;

/** Fills in the next import form. The key is entered again, because the app never reads keys. */
export function correct({ id, source, base_url, options }: Import): void {
  const file = sent?.id === id ? sent.file : null;
  // The service adds a slash to the address as typed.
  correction = { source, base_url: (base_url ?? '').replace(/\/$/, ''), options, file };
}

export function takeCorrection(): Correction | null {
  const taken = correction;
  correction = null;
  return taken;
}

const askBeforeLeaving = (event: BeforeUnloadEvent): void => event.preventDefault();

export function forgetRefusal(): void {
  if (!upload.get().isRunning) upload.set(IDLE);
}

/** A service's API key, plus its address if not the default. */
export interface ServiceAccess {
  readonly base_url?: string;
  readonly credential: string;
}

/**
 * Sends a file or service access for checking. If rejected, returns null and stores the reason.
 */
export async function sendSource(
  source: string,
  options: object,
  from: File | ServiceAccess,
): Promise<Import | null> {
  const { columns, isRunning } = upload.get();
  if (isRunning) return null;
  upload.set({ ...IDLE, isRunning: true, columns });
  addEventListener('beforeunload', askBeforeLeaving);
  try {
    const made = await accepted(
      from instanceof File
        ? formOf(source, options, from)
        : JSON.stringify({ source, options, ...from }),
    );
    upload.set(IDLE);
    if (from instanceof File) sent = { id: made.id, file: from };
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

function formOf(source: string, options: object, file: File): FormData {
  const form = new FormData();
  form.set('source', source);
  form.set('options', JSON.stringify(options));
  form.set('file', file);
  return form;
}

/** @param sent form data or JSON */
async function accepted(sent: FormData | string): Promise<Import> {
  let answer = await post(sent);
  if (answer.status === 401) {
    await renewSession();
    answer = await post(sent);
  }
  const body = (await answer.json().catch(() => ({}))) as Import & {
    details?: { columns?: readonly Column[] };
  };
  if (answer.ok) return body;
  const failure = Failure.from(answer, body);
  const { columns } = body.details ?? {};
  throw columns === undefined ? failure : new MappingFailure(failure, columns);
}

/** Uses XMLHttpRequest, because `fetch` does not report upload progress. */
function post(sent: FormData | string): Promise<Response> {
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
    if (typeof sent === 'string') request.setRequestHeader('Content-Type', 'application/json');
    request.send(sent);
  });
}
