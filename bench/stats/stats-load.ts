/** Asks the running service for public statistics of a link, one after the other, until stopped. */
export function statsLoad(port: number, alias: string): { stop: () => Promise<number> } {
  const state = { running: true };
  let answered = 0;
  const address = (): string =>
    `203.0.${Math.floor(Math.random() * 256)}.${Math.floor(Math.random() * 256)}`;
  const asking = (async () => {
    while (state.running) {
      const answer = await fetch(
        `http://127.0.0.1:${port}/api/v1/public/stats/${alias}?start_date=0`,
        {
          headers: { 'X-Forwarded-For': address() },
        },
      );
      if (answer.status !== 200) throw new Error(`Statistics answered ${answer.status}`);
      await answer.arrayBuffer();
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
