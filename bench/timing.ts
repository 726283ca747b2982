import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import mongoose from 'mongoose';
import { Client } from '../src/infrastructure/client-address/client-address';
import { hashPassword } from '../src/infrastructure/hashing/password-hash';
import { median, percentile } from './support/load';
import { Stage } from './support/stage';

// Do response times reveal whether an email has an account? Interleaves all cases and compares
// medians. `another unknown` is the control for noise.
const LOGIN_ROUNDS = 40;
const RESET_ROUNDS = 150;
const PASSWORD = 'Corr3ct-Horse';
/** Longer than a reset's background work, which must not delay the next response. */
const PAUSE_MS = 300;

/** `npm run bench timing login` measures that part only; without a name, all parts. */
const wants = (part: string): boolean => [undefined, part].includes(process.argv[2]);

type Case = readonly [name: string, request: (round: number) => object];

async function main(): Promise<void> {
  const stage = await Stage.open();
  try {
    const { port } = await stage.service();
    const hash = await hashPassword(PASSWORD, 12, { kind: 'account', client: new Client('bench') });
    await seedAccounts(stage, 'known', hash);
    await seedAccounts(stage, 'linked', null);
    if (wants('login'))
      await compare(port, '/auth/login', LOGIN_ROUNDS, [
        ['wrong password', (i) => ({ email: email('known', i), password: 'Wr0ng-Horse' })],
        ['unknown email', (i) => ({ email: email('unknown', i), password: 'Wr0ng-Horse' })],
        ['no password set', (i) => ({ email: email('linked', i), password: 'Wr0ng-Horse' })],
        ['another unknown email', (i) => ({ email: email('nobody', i), password: 'Wr0ng-Horse' })],
      ]);
    if (wants('reset')) await compareResets(port);
  } finally {
    await stage.close();
  }
}

/** Codes from the earlier requests are still valid when wrong codes are sent. */
async function compareResets(port: number): Promise<void> {
  await compare(port, '/auth/request-password-reset', RESET_ROUNDS, [
    ['known email', (i) => ({ email: email('known', i) })],
    ['unknown email', (i) => ({ email: email('unknown', i) })],
    ['no password set', (i) => ({ email: email('linked', i) })],
    ['another unknown email', (i) => ({ email: email('nobody', i) })],
  ]);
  await compare(port, '/auth/reset-password', RESET_ROUNDS, [
    ['known email, wrong code', (i) => resetBody('known', i)],
    ['unknown email', (i) => resetBody('unknown', i)],
    ['no password set', (i) => resetBody('linked', i)],
    ['another unknown email', (i) => resetBody('nobody', i)],
  ]);
}

function email(kind: string, i: number): string {
  return `${kind}${i}@example.com`;
}

function resetBody(kind: string, i: number): object {
  return { email: email(kind, i), code: '000000', password: PASSWORD };
}

async function seedAccounts(stage: Stage, kind: string, hash: string | null): Promise<void> {
  await stage.connection.collection('accounts').insertMany(
    Array.from({ length: RESET_ROUNDS }, (_, i) => ({
      _id: new mongoose.Types.ObjectId(),
      email: email(kind, i),
      email_verified: true,
      user_name: null,
      password_hash: hash,
      identities: [],
      picture: null,
      session_epoch: 0,
      created_at: new Date(),
    })),
  );
}

async function compare(port: number, path: string, rounds: number, cases: Case[]): Promise<void> {
  const times = cases.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const k of shuffled(cases.length)) {
      const [, request] = cases[k] ?? ['', () => ({})];
      times[k]?.push(await timed(port, path, request(round)));
      await sleep(PAUSE_MS);
    }
  }
  console.log(`\n${path}, ${rounds} rounds`);
  const base = median(times[0] ?? []);
  cases.forEach(([name], k) => {
    const of = (times[k] ?? []).sort((a, b) => a - b);
    const ratio = (median(of) / base).toFixed(3);
    const spread = [0.25, 0.75].map((q) => percentile(of, q).toFixed(2)).join('–');
    console.log(`  ${name.padEnd(26)} ${median(of).toFixed(2)} ms (quartiles ${spread}), ${ratio}`);
  });
}

async function timed(port: number, path: string, body: object): Promise<number> {
  const begun = performance.now();
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'X-Forwarded-For': Array.from({ length: 4 }, () => randomInt(1, 255)).join('.'),
    },
    body: JSON.stringify(body),
  });
  await answer.arrayBuffer();
  if (answer.status === 429) throw new Error('A rate limit was exceeded');
  return performance.now() - begun;
}

function shuffled(count: number): number[] {
  return Array.from({ length: count }, (_, i) => [Math.random(), i] as const)
    .sort(([a], [b]) => a - b)
    .map(([, i]) => i);
}

void main();
