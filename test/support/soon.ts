import type { Response } from 'supertest';
import { eventually } from './service';

/**
 * Sends requests with values that expire within seconds, and retries if a value expired before the
 * response. Returns the accepted response.
 */
export async function expiringSoon(
  ask: (soon: number) => PromiseLike<Response>,
): Promise<Response> {
  const answers: Response[] = [];
  await eventually('an expiry is accepted', async () => {
    const answer = await ask(Math.floor(Date.now() / 1000) + 2);
    answers.unshift(answer);
    return answer.status < 300;
  });
  return answers[0]!;
}
