import type { Response } from 'supertest';
import { eventually } from './service';

/**
 * Asks for what expires in a second or two, as often as it takes: where an answer takes so long that the
 * time has come, it is refused. Returns the answer that is accepted.
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
