import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { MAX_SECRET_BYTES, readTextFile } from '../config/text-file';
import type { Settings } from '../config/settings';
import { DataDirError } from './start-error';

type Secrets = Pick<Settings, 'jwtSecret' | 'visitorKey' | 'data'>;

/** Fewer characters can be tried out by whoever has a token. */
const MIN_LENGTH = 32;

interface SecretFile {
  readonly name: string;
  /** What to do about a file that cannot be used. */
  readonly cure: string;
}

const JWT_SECRET: SecretFile = {
  name: 'jwt-secret',
  cure: 'restore it from a backup, or delete it: a new one is made, and everybody signs in anew',
};
const VISITOR_KEY: SecretFile = {
  name: 'visitor-key',
  cure:
    'restore it from a backup or another machine, or set VISITOR_KEY to what it was; where nothing ' +
    'was recorded yet, delete it (docs/operations.md#the-visitor-key)',
};

/** The signing secret: JWT_SECRET, or one generated once into DATA_DIR/jwt-secret. */
export function signingSecret({ jwtSecret, data }: Secrets): string {
  return jwtSecret ?? generatedSecret(data.dir, JWT_SECRET);
}

/** The outer part of the visitor key: VISITOR_KEY, or one generated into DATA_DIR/visitor-key. */
export function visitorSecret({ visitorKey, data }: Secrets): string {
  return visitorKey ?? generatedSecret(data.dir, VISITOR_KEY);
}

/** Generated secrets in use that other users of the machine may read, one line each for the log. */
export function exposedSecrets({ jwtSecret, visitorKey, data }: Secrets): string[] {
  const used = [jwtSecret === null ? JWT_SECRET : null, visitorKey === null ? VISITOR_KEY : null];
  return used.flatMap((file) => {
    const path = file === null ? null : join(data.dir, file.name);
    if (path === null || (statSync(path).mode & 0o044) === 0) return [];
    return [`${path} may be read by other users: make it its owner's alone (chmod 600 ${path})`];
  });
}

/** What stands in a file of its owner's alone; made once, and on the disk when it is returned. */
function generatedSecret(dir: string, file: SecretFile): string {
  const path = join(dir, file.name);
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) createSecret(path);
  try {
    return readSecret(path);
  } catch (error) {
    const fault = error instanceof Error ? error.message : String(error);
    throw new DataDirError(`${path} ${fault}; ${file.cure}`);
  }
}

function readSecret(path: string): string {
  const secret = readTextFile(path, MAX_SECRET_BYTES).trim();
  if (secret === '') throw new Error('is empty');
  if (secret.length >= MIN_LENGTH) return secret;
  throw new Error(`has fewer than ${MIN_LENGTH} characters`);
}

/** Whole or not at all: a crash leaves no half of a secret behind. */
function createSecret(path: string): void {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(draft, path);
  } finally {
    rmSync(draft);
  }
  syncFolder(dirname(path));
}

/** A new name is only durable when its folder is. */
function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
