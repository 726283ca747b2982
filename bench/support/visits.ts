import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const EVERY_MS = 10;

/**
 * Visits paths at a constant rate, regardless of earlier responses; returns sorted milliseconds.
 *
 * @throws if a visit with `mustRedirect` does not return 302
 */
export async function visitWhile(
  port: number,
  path: () => string,
  isOn: () => boolean,
  mustRedirect = true,
): Promise<number[]> {
  const times: number[] = [];
  const visits: Promise<void>[] = [];
  let next = performance.now();
  while (isOn()) {
    next += EVERY_MS;
    await sleep(Math.max(0, next - performance.now()));
    visits.push(visit(port, path(), mustRedirect).then((ms) => void times.push(ms)));
  }
  await Promise.all(visits);
  return times.sort((a, b) => a - b);
}

function visit(port: number, path: string, mustRedirect: boolean): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = performance.now();
    get({ port, path, agent: false, host: '127.0.0.1' }, (response) => {
      const { statusCode } = response;
      if (statusCode !== 302 && mustRedirect) reject(new Error(`${path}: ${statusCode}`));
      const ms = performance.now() - sent;
      response.resume().on('end', () => resolve(ms));
    }).on('error', reject);
  });
}
