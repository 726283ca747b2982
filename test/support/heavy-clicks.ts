import { connect } from 'node:net';
import { endAfterFile } from './left-running';

const AT_ONCE = 20;
const ANSWER = /HTTP\/1\.1 302 /g;

/** The largest possible click, with the maximum length in every recorded field. */
function heavyRequest(alias: string): string {
  const value = encodeURIComponent('\u{2a6b2}'.repeat(100));
  const query = `utm_source=${value}&utm_medium=${value}&utm_campaign=${value}`;
  const [host, agent] = ['h'.repeat(480), '\u00e9'.repeat(2000)];
  const headers = [
    'Host: localhost',
    'X-Forwarded-For: 203.0.113.5',
    `Referer: https://${host}`,
    `User-Agent: ${agent}`,
  ];
  return [`GET /${alias}?${query} HTTP/1.1`, ...headers, '', ''].join('\r\n');
}

export function heavyClicks(port: number, alias: string): { stop(): Promise<number> } {
  const request = heavyRequest(alias);
  let going = true;
  let redirects = 0;
  const one = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1');
      let due = AT_ONCE;
      const send = () => socket.write(request.repeat(AT_ONCE), 'latin1');
      let rest = '';
      socket.setEncoding('latin1');
      socket.on('error', reject);
      socket.on('close', () => resolve());
      socket.on('connect', send);
      socket.on('data', (chunk: string) => {
        rest += chunk;
        const end = rest.lastIndexOf('\r\n\r\n');
        if (end === -1) return;
        const answers = rest.slice(0, end).match(ANSWER)?.length ?? 0;
        rest = rest.slice(end);
        redirects += answers;
        due -= answers;
        if (due > 0) return;
        due = AT_ONCE;
        if (going) send();
        else socket.end();
      });
    });
  const all = Array.from({ length: 4 }, one);
  const stop = async (): Promise<number> => {
    going = false;
    await Promise.all(all);
    return redirects;
  };
  endAfterFile(stop);
  return { stop };
}
