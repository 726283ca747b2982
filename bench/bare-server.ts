import cluster from 'node:cluster';
import { createServer } from 'node:http';

// Baseline: node:http responds with 302 from a Map, optionally in several worker processes.
const [port = '0', count = '10000', workers = '1'] = process.argv.slice(2);

function answer(ready: () => void): void {
  const links = new Map<string, string>();
  for (let i = 0; i < Number(count); i++) links.set(`/b${i}`, `https://example.com/target/${i}`);
  createServer((request, response) => {
    const target = links.get(request.url ?? '');
    if (target === undefined) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(302, { Location: target, 'Content-Length': 0 }).end();
  }).listen(Number(port), '127.0.0.1', ready);
}

function share(): void {
  let listening = 0;
  for (let i = 0; i < Number(workers); i++) cluster.fork();
  cluster.on('listening', () => {
    if (++listening === Number(workers)) process.send?.('ready');
  });
  process.once('SIGTERM', () => {
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill();
    process.exit();
  });
}

if (cluster.isWorker) answer(() => undefined);
else if (Number(workers) > 1) share();
else answer(() => process.send?.('ready'));
