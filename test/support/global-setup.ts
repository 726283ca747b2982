import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { MongoClient } from 'mongodb';
import { EmbeddedEngine } from '../../src/infrastructure/mongo/embedded-engine';
import { DOCUMENT_VARIABLE } from './openapi/document';
import { TestClickHouse } from './click-house';
import { allowKeptProcesses } from './kept-processes';
import { keepTestClickHouse, keepTestEngine } from './test-engine';
import { StandardErrorLogger } from './standard-error-logger';

const OPENAPI = join(__dirname, '../../dist/program/cli/openapi.js');
const START = join(__dirname, '../../scripts/start.mjs');

/**
 * Before tests that need the built service: builds it if necessary and starts one embedded
 * engine per run, unless CURTAIL_TEST_MONGO names a MongoDB. Tests receive its address with
 * `%DB%` as the database name.
 */
export default async function globalSetup(): Promise<void> {
  await build();
  await startClickHouse();
  await describe();
  allowKeptProcesses();
  if (process.env.CURTAIL_TEST_MONGO) return;
  const dataDir = mkdtempSync(join(tmpdir(), 'curtail-run-'));
  const engine = new EmbeddedEngine({ dataDir, logger: new StandardErrorLogger() });
  keepTestEngine(engine, dataDir);
  await engine.start();
  await delayCheckpoints(engine.uri('admin'));
  process.env.CURTAIL_TEST_MONGO = engine.uri('%DB%').replace(encodeURIComponent('%DB%'), '%DB%');
}

/** A checkpoint takes a second or more with many databases, and no test restarts this engine. */
async function delayCheckpoints(uri: string): Promise<void> {
  const client = new MongoClient(uri);
  await client.db().command({ setParameter: 1, syncdelay: 600 });
  await client.close();
}

/**
 * With CURTAIL_TEST_CLICKS=clickhouse, this run's services store clicks in one ClickHouse server.
 */
async function startClickHouse(): Promise<void> {
  if (process.env.CURTAIL_TEST_CLICKS !== 'clickhouse') return;
  const server = await TestClickHouse.start();
  keepTestClickHouse(server);
  process.env.CURTAIL_TEST_CLICKHOUSE = server.url;
}

/** Writes the built service's API document, against which tests check responses. */
async function describe(): Promise<void> {
  const { stdout } = await promisify(execFile)(process.execPath, [OPENAPI], {
    maxBuffer: 16 * 1024 * 1024,
    env: { PATH: process.env.PATH, BASE_URL: 'https://go.test' },
  });
  const file = join(mkdtempSync(join(tmpdir(), 'curtail-openapi-')), 'openapi.json');
  writeFileSync(file, stdout);
  process.env[DOCUMENT_VARIABLE] = file;
}

async function build(): Promise<void> {
  try {
    await promisify(execFile)(process.execPath, [START, '--build-only']);
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`The service cannot be built:\n${stdout}${stderr}`, { cause: error });
  }
}
