import createClient from 'openapi-fetch';
import type { components, paths } from '../../dist/web-types/schema';
import { lost } from '../data/connection';
import { type Account, account } from '../data/first-answer';
import { Failure } from './failure';
import { oneTabAtATime } from './refresh-lock';

export type Schemas = components['schemas'];

const ANSWER_WITHIN = 20_000;

export const api = createClient<paths>({ baseUrl: location.origin, fetch: withSession });

export async function bodyOf<T>(
  call: Promise<{ data?: T; error?: unknown; response: Response }>,
): Promise<T> {
  const { data, error, response } = await call;
  if (!response.ok) throw Failure.from(response, error ?? {});
  return data as T;
}

export async function fileOf(path: string): Promise<{ content: Blob; name: string }> {
  const address = new URL(path, location.origin);
  // Excel recognises UTF-8 only by the byte-order mark.
  address.searchParams.set('bom', 'true');
  const answer = await withSession(new Request(address));
  if (!answer.ok) throw await Failure.fromAnswer(answer);
  const disposition = answer.headers.get('Content-Disposition') ?? '';
  const name = /filename="([^"]+)"/.exec(disposition)?.[1] ?? 'curtail-export';
  return { content: await answer.blob(), name };
}

async function withSession(request: Request): Promise<Response> {
  const again = request.clone();
  const answer = await reach(request);
  if (answer.status === 403) return unlessUnverified(answer);
  if (answer.status !== 401) return answer;
  if ((await isAboutInput(answer)) && (await profile()) !== null) return answer;
  await renewSession();
  return reach(again);
}

/** A 401 with a field means a wrong password or, if the session has ended, a missing account. */
async function isAboutInput(answer: Response): Promise<boolean> {
  const body = (await answer
    .clone()
    .json()
    .catch(() => ({}))) as { field?: unknown };
  return body.field !== undefined;
}

async function unlessUnverified(answer: Response): Promise<Response> {
  const body = (await answer
    .clone()
    .json()
    .catch(() => ({}))) as { code?: unknown };
  if (body.code === 'email_not_verified') return leaveFor('/register/verify');
  return answer;
}

async function reach(request: Request): Promise<Response> {
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(ANSWER_WITHIN)]);
  let answer: Response;
  try {
    answer = await fetch(request, { signal });
  } catch (error) {
    if (request.signal.aborted) throw error;
    lost();
    throw Failure.away();
  }
  // Only a busy service sends Retry-After. A proxy, or a service without a database, does not.
  const isAway = [502, 503, 504].includes(answer.status) && !answer.headers.has('Retry-After');
  if (!isAway) return answer;
  lost();
  throw Failure.away();
}

export async function renewSession(): Promise<Account> {
  return oneTabAtATime(async () => {
    // Another tab may have renewed the session while this tab waited for the lock.
    const known = await profile();
    if (known !== null) return known;
    // `keepalive`, because after a reload only the token in this response is valid.
    const renewed = await reach(new Request('/auth/refresh', { method: 'POST', keepalive: true }));
    if (renewed.status === 401 || renewed.status === 400) return toSignIn();
    if (!renewed.ok) throw await Failure.fromAnswer(renewed);
    return (await profile()) ?? toSignIn();
  });
}

async function profile(): Promise<Account | null> {
  const answer = await reach(new Request('/auth/me'));
  if (answer.status === 401) return null;
  if (!answer.ok) throw await Failure.fromAnswer(answer);
  const { user } = (await answer.json()) as Schemas['ProfileResponse'];
  account.set(user);
  return user;
}

export function toSignIn(): Promise<never> {
  const here = location.pathname + location.search;
  return leaveFor(`/login?next=${encodeURIComponent(here)}&done=session-ended`);
}

/** Never resolves, because the page is about to unload. */
export function leaveFor(path: string): Promise<never> {
  location.assign(path);
  return new Promise<never>(() => undefined);
}
