import { get } from 'node:http';

/** Asks the running service for public statistics of a link, one after the other, until stopped. */
export function statsLoad(port: number, alias: string): { stop: () => Promise<number> } {
  const state = { running: true };
  let answered = 0;
  const address = (): string =>
    `203.0.${Math.floor(Math.random() * 256)}.${Math.floor(Math.random() * 256)}`;
  const asking = (async () => {
    while (state.running) {
      const headers = { 'X-Forwarded-For': address() };
      await drained({ port, path: `/api/v1/public/stats/${alias}?start_date=0`, headers });
      answered += 1;
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

/** Answers are only received: this process measures redirects meanwhile. */
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
