import { get } from 'node:http';

/** Whether every question is another one, or all are the same. */
export type Asked = 'counted' | 'remembered';

/**
 * Asks the running service for public statistics of a link, one question after the other, until
 * stopped; returns when the first one is answered.
 */
export async function statsLoad(
  port: number,
  alias: string,
  asked: Asked,
): Promise<{ stop: () => Promise<number> }> {
  const state = { running: true };
  let answered = 0;
  const address = (): string =>
    `203.0.${Math.floor(Math.random() * 256)}.${Math.floor(Math.random() * 256)}`;
  // A range from before the first click on, which is another one each time.
  const first = Date.now() % 1_000_000_000;
  const one = (): Promise<void> => {
    const start = asked === 'counted' ? first + answered : 0;
    const path = `/api/v1/public/stats/${alias}?start_date=${start}`;
    return drained({ port, path, headers: { 'X-Forwarded-For': address() } });
  };
  await one();
  const asking = (async () => {
    while (state.running) {
      answered += 1;
      await one();
    }
  })();
  return {
    stop: async () => {
      state.running = false;
      await asking;
      return answered;
    },
  };
}

/** Answers are only received: this process measures others meanwhile. */
function drained(request: {
  port: number;
  path: string;
  headers: Record<string, string>;
}): Promise<void> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', ...request }, (response) => {
      if (response.statusCode !== 200) {
        reject(new Error(`Statistics answered ${response.statusCode}`));
      }
      response.resume().once('end', resolve).once('error', reject);
    }).once('error', reject);
  });
}
