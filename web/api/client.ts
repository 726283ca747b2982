import createClient from 'openapi-fetch';
import type { components, paths } from '../../dist/web-types/schema';
import { lost } from '../data/connection';
import { type Account, account } from '../data/first-answer';
import { Failure } from './failure';
import { oneTabAtATime } from './refresh-lock';

export type Schemas = components['schemas'];

const ANSWER_WITHIN = 20_000;

/** The service's API, typed by its own description; the session is renewed when it has to be. */
export const api = createClient<paths>({ baseUrl: location.origin, fetch: withSession });

/** The body of a good answer; throws a Failure for any other. */
export async function bodyOf<T>(
  call: Promise<{ data?: T; error?: unknown; response: Response }>,
): Promise<T> {
  const { data, error, response } = await call;
  if (!response.ok) throw Failure.from(response, error ?? {});
  return data as T;
}

/** A file of the service, and the name that it gives it. */
export async function fileOf(path: string): Promise<{ content: Blob; name: string }> {
  const address = new URL(path, location.origin);
  // Excel reads a CSV file as UTF-8 by its mark alone; other formats have none.
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
  if (answer.status !== 401 || (await isAboutInput(answer))) return answer;
  await renewSession();
  return reach(again);
}

/** A wrong password that was typed is 401, too, and says nothing about the session. */
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
  // A full queue says when to come back; a proxy, or a service without its database, does not.
  const isAway = [502, 503, 504].includes(answer.status) && !answer.headers.has('Retry-After');
  if (!isAway) return answer;
  lost();
  throw Failure.away();
}

/** Renews the session, or leaves for the sign-in page. */
export async function renewSession(): Promise<Account> {
  return oneTabAtATime(async () => {
    // Another tab may have done it while this one waited for its turn.
    const known = await profile();
    if (known !== null) return known;
    // Kept alive over a reload: the answer has the only token that works from now on.
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

/** The page is going away: nobody gets an answer any more. */
export function leaveFor(path: string): Promise<never> {
  location.assign(path);
  return new Promise<never>(() => undefined);
}
