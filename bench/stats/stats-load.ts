import { get } from 'node:http';

/** `counted`: all queries differ; `remembered`: all queries are identical and cached. */
export type Asked = 'counted' | 'remembered';

/**
 * Requests public statistics one after another until stopped; returns after the first response.
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
  // The range starts before the first click and differs in each request.
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
