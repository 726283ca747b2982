import type { OutgoingHttpHeaders } from 'node:http';
import { PROVIDER_MS } from './oauth-provider';

/** What the `oauth` package hands back: an Error, or the status and body of a refusal. */
type Done = (error: Error | { statusCode: number; data: string } | null, body?: string) => void;

/**
 * Stands in for the `oauth` package's own request, which waits for ever, follows what it should
 * not and lets a body of `null` take the process down. The answer is a JSON object, within time.
 */
export function providerRequest(
  method: string,
  url: string,
  headers: OutgoingHttpHeaders,
  body: string,
  _accessToken: null,
  done: Done,
): void {
  ask(method, url, headers, body).then(
    ({ status, text }) => {
      if (status !== 200) done({ statusCode: status, data: text });
      else if (!isJsonObject(text)) done(new Error('The answer is no JSON object'));
      else done(null, text);
    },
    (error: unknown) => done(error instanceof Error ? error : new Error('The request failed')),
  );
}

async function ask(
  method: string,
  url: string,
  headers: OutgoingHttpHeaders,
  body: string,
): Promise<{ status: number; text: string }> {
  const answer = await fetch(url, {
    method,
    headers: { ...(headers as Record<string, string>), Accept: 'application/json' },
    body: body === '' ? undefined : body,
    redirect: 'error',
    signal: AbortSignal.timeout(PROVIDER_MS),
  });
  return { status: answer.status, text: await answer.text() };
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
