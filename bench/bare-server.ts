import { createServer } from 'node:http';

// The yardstick: node:http answering 302 from a Map, nothing else.
const [port = '0', count = '10000'] = process.argv.slice(2);
const links = new Map<string, string>();
for (let i = 0; i < Number(count); i++) links.set(`/b${i}`, `https://example.com/target/${i}`);

createServer((request, response) => {
  const target = links.get(request.url ?? '');
  if (target === undefined) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(302, { Location: target, 'Content-Length': 0 }).end();
}).listen(Number(port), '127.0.0.1', () => process.send?.('ready'));
