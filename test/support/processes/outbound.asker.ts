import { OutboundClient } from '../../../src/infrastructure/outbound/outbound.client';

async function main(): Promise<void> {
  const allowedNetworks = [{ address: '127.0.0.1', prefix: 32 }];
  const client = new OutboundClient({ allowedNetworks }, () => Promise.resolve(['127.0.0.1']));
  const results: string[] = [];
  for (const url of process.argv.slice(2)) {
    const answer = client.request({ url, maxBytes: 1000 });
    results.push(
      await answer.then(
        ({ body }) => body.toString(),
        (error: unknown) => (error as Error).message,
      ),
    );
  }
  process.stdout.write(JSON.stringify(results));
}

void main();
