import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
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
  /** Advice for a file that cannot be used. */
  readonly cure: string;
}

const JWT_SECRET: SecretFile = {
  name: 'jwt-secret',
  cure: 'restore it from a backup, or delete it: a new one is made, and everybody signs in anew',
};
const VISITOR_KEY_FILE: SecretFile = {
  name: 'visitor-key',
  cure:
    'restore it from a backup or another machine, or set VISITOR_KEY to what it was; where nothing ' +
    'was recorded yet, delete it (docs/operations.md#the-visitor-key)',
};

/** The signing secret: JWT_SECRET, or one generated once into DATA_DIR/jwt-secret. */
export function signingSecret({ jwtSecret, data }: Omit<Secrets, 'visitorKey'>): string {
  return jwtSecret ?? generatedSecret(data.dir, JWT_SECRET);
}

/** The signing secret of a service that has been started: none is generated. */
export function existingSigningSecret({ jwtSecret, data }: Omit<Secrets, 'visitorKey'>): string {
  const path = join(data.dir, JWT_SECRET.name);
  if (jwtSecret !== null || existsSync(path)) return signingSecret({ jwtSecret, data });
  throw new Error(`There is no ${path} yet: start the service first`);
}

/** The outer part of the visitor key: VISITOR_KEY, or one generated into DATA_DIR/visitor-key. */
export function visitorSecret({ visitorKey, data }: Secrets): string {
  return visitorKey ?? generatedSecret(data.dir, VISITOR_KEY_FILE);
}

/** Generated secrets in use that others may read or guess, one line each for the log. */
export function exposedSecrets({ jwtSecret, visitorKey, data }: Secrets): string[] {
  const used = [
    jwtSecret === null ? JWT_SECRET : null,
    visitorKey === null ? VISITOR_KEY_FILE : null,
  ];
  return used.flatMap((file) => {
    if (file === null) return [];
    const path = join(data.dir, file.name);
    const isOpen = (statSync(path).mode & 0o044) !== 0;
    const isShort = readSecret(path).length < MIN_LENGTH;
    return [
      ...(isOpen
        ? [`${path} may be read by other users: make it its owner's alone (chmod 600 ${path})`]
        : []),
      ...(isShort
        ? [
            `${path} has fewer than ${MIN_LENGTH} characters, which whoever has the database can ` +
              'try out to find addresses of visitors; it is used because clicks were recorded ' +
              'with it (docs/operations.md#the-visitor-key)',
          ]
        : []),
    ];
  });
}

/** Earlier releases took a short key; another one would count every visitor as a new one. */
function isBoundToClicks(dir: string, file: SecretFile): boolean {
  return file === VISITOR_KEY_FILE && existsSync(join(dir, 'recorder-intents'));
}

/** The contents of a file of its owner's alone; made once, and on the disk when returned. */
function generatedSecret(dir: string, file: SecretFile): string {
  const path = join(dir, file.name);
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) createSecret(path);
  try {
    const secret = readSecret(path);
    if (secret.length >= MIN_LENGTH || isBoundToClicks(dir, file)) return secret;
    throw new Error(`has fewer than ${MIN_LENGTH} characters`);
  } catch (error) {
    const fault = error instanceof Error ? error.message : String(error);
    throw new DataDirError(`${path} ${fault}; ${file.cure}`);
  }
}

function readSecret(path: string): string {
  const secret = readTextFile(path, MAX_SECRET_BYTES).trim();
  if (secret === '') throw new Error('is empty');
  return secret;
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
  syncFolderNow(dirname(path));
}

/** A new name is only durable when its folder is. */
function syncFolderNow(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
