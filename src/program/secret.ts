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

/** A token's owner could find a shorter secret by brute force. */
const MIN_LENGTH = 32;

interface SecretFile {
  readonly name: string;
  readonly cure: string;
}

const JWT_SECRET: SecretFile = {
  name: 'jwt-secret',
  cure: 'restore it from a backup, or delete it to generate a new one, which ends all sessions',
};
const VISITOR_KEY_FILE: SecretFile = {
  name: 'visitor-key',
  cure:
    'restore it from a backup or another machine, or set VISITOR_KEY to its previous value; delete ' +
    'it only if no click has been recorded (docs/operations.md#the-visitor-key)',
};

/** Returns JWT_SECRET, or the secret in DATA_DIR/jwt-secret, generated at first startup. */
export function signingSecret({ jwtSecret, data }: Omit<Secrets, 'visitorKey'>): string {
  return jwtSecret ?? generatedSecret(data.dir, JWT_SECRET);
}

/** Never generates a secret, because the service has already been started once. */
export function existingSigningSecret({ jwtSecret, data }: Omit<Secrets, 'visitorKey'>): string {
  const path = join(data.dir, JWT_SECRET.name);
  if (jwtSecret !== null || existsSync(path)) return signingSecret({ jwtSecret, data });
  throw new Error(`There is no ${path} yet: start the service first`);
}

/** Returns VISITOR_KEY, or the secret in DATA_DIR/visitor-key, generated at first startup. */
export function visitorSecret({ visitorKey, data }: Secrets): string {
  return visitorKey ?? generatedSecret(data.dir, VISITOR_KEY_FILE);
}

/** Returns a log line for each secret in use that other users might be able to read or guess. */
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
        ? [`Other users can read ${path}; restrict it to its owner (chmod 600 ${path})`]
        : []),
      ...(isShort
        ? [
            `${path} has fewer than ${MIN_LENGTH} characters: with the database, an attacker can ` +
              "guess it and recover visitors' addresses; it stays in use because clicks were " +
              'recorded with it (docs/operations.md#the-visitor-key)',
          ]
        : []),
    ];
  });
}

/** Keeps a short key from an earlier release: with a new key, all visitors would count as new. */
function isBoundToClicks(dir: string, file: SecretFile): boolean {
  return file === VISITOR_KEY_FILE && existsSync(join(dir, 'recorder-intents'));
}

/** Generates the secret once; it is readable only by its owner and on disk when returned. */
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

/** Atomic, so that a crash cannot leave a partial secret. */
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

/** A new file survives a power failure only once its folder is synced. */
function syncFolderNow(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
