import { randomInt } from 'node:crypto';
import { Agent, request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Stage } from './support/stage';

// One client's sign-in latency while another client floods the service. Latencies are the honest
// client's; `answers` counts the flood's statuses.
const PASSWORD = 'Corr3ct-Horse';
const LINK_PASSWORD = 'Geheim1@x';
const LINKS = 20;
const ROUNDS = 3;

interface Call {
  path: string;
  body: object;
  from: string;
  hangUpMs?: number;
}

const agent = new Agent({ keepAlive: false, maxSockets: 2000 });

async function main(): Promise<void> {
  const stage = await Stage.open();
  try {
    const { port } = await stage.service();
    const email = 'owner@example.com';
    await post(port, { path: '/auth/register', body: { email, password: PASSWORD }, from: anIp() });
    const codes = await madeLinks(port);
    const signIn = () =>
      post(port, { path: '/auth/login', body: { email, password: PASSWORD }, from: anIp() });
    const report = async (name: string, flood: Call[], network?: () => string) => {
      const answers = new Map<string, number>();
      const floods = flood.map(async (call) => {
        const status = await post(port, network ? { ...call, from: network() } : call);
        answers.set(status, (answers.get(status) ?? 0) + 1);
      });
      await sleep(100);
      const times: number[] = [];
      for (let i = 0; i < ROUNDS; i++) {
        const begun = performance.now();
        const status = await signIn();
        times.push(Math.round(performance.now() - begun));
        if (status !== '200') console.log(`  the sign-in returned ${status}`);
      }
      const told = [...answers].map(([status, count]) => `${count} × ${status}`).join(', ');
      console.log(`${name.padEnd(48)} ${times.join(', ')} ms; answers by then: ${told}`);
      await Promise.all(floods);
      await sleep(1500);
    };
    await report('nothing else', []);
    const guess = (i: number, from: string): Call => {
      return { path: `/${codes[i % LINKS] ?? ''}/password`, body: { password: `n${i}` }, from };
    };
    const one = anIp();
    await report(
      '200 guesses over 20 links, one address',
      many(200, (i) => guess(i, one)),
    );
    const net = aNetwork();
    await report(
      '200 guesses over 20 links, one /64',
      many(200, (i) => guess(i, '')),
      net,
    );
    const login = (i: number): Call => {
      return { path: '/auth/login', body: { email: `n${i}@example.com`, password: 'x' }, from: '' };
    };
    await report('100 sign-ins, one address', many(100, login), always(anIp()));
    await report('100 sign-ins, one /64', many(100, login), aNetwork());
    const register = (i: number): Call => {
      const body = { email: `r${randomInt(1e9)}-${i}@example.com`, password: PASSWORD };
      return { path: '/auth/register', body, from: '' };
    };
    await report('100 registrations, one /64', many(100, register), aNetwork());
    const left = (i: number): Call => ({ ...login(i), hangUpMs: 50 });
    await report('40 sign-ins dropped at once, 40 addresses', many(40, left), anIp);
    await report('40 sign-ins that wait, 40 addresses', many(40, login), anIp);
  } finally {
    await stage.close();
  }
}

async function madeLinks(port: number): Promise<string[]> {
  const codes: string[] = [];
  for (let i = 0; i < LINKS; i++) {
    const alias = `pw${i}-${randomInt(1e6)}`;
    const body = { long_url: 'https://example.com/', password: LINK_PASSWORD, alias };
    await post(port, { path: '/api/v1/shorten', body, from: anIp() });
    codes.push(alias);
  }
  return codes;
}

function post(port: number, { path, body, from, hangUpMs }: Call): Promise<string> {
  const form = path.endsWith('/password');
  const text = form
    ? new URLSearchParams(body as Record<string, string>).toString()
    : JSON.stringify(body);
  return new Promise((resolve) => {
    const call = httpRequest(
      {
        agent,
        host: '127.0.0.1',
        port,
        path,
        method: 'POST',
        headers: {
          'Content-Type': form ? 'application/x-www-form-urlencoded' : 'application/json',
          'Content-Length': Buffer.byteLength(text),
          'X-Forwarded-For': from,
          Accept: 'application/json',
        },
      },
      (answer) => {
        answer.resume();
        answer.on('end', () => resolve(String(answer.statusCode)));
      },
    );
    call.on('error', () => resolve('hung up'));
    call.end(text);
    if (hangUpMs !== undefined) setTimeout(() => call.destroy(), hangUpMs);
  });
}

const many = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));
const always = (address: string) => () => address;

function anIp(): string {
  return Array.from({ length: 4 }, () => randomInt(1, 255)).join('.');
}

function aNetwork(): () => string {
  const prefix = `2001:db8:${randomInt(1, 65535).toString(16)}:1`;
  return () => `${prefix}::${randomInt(1, 65535).toString(16)}`;
}

void main();
