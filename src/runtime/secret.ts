import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** The signing secret: JWT_SECRET, or one generated once into DATA_DIR/jwt-secret. */
export function signingSecret(configured: string | null, dataDir: string): string {
  return configured ?? generatedSecret(join(dataDir, 'jwt-secret'));
}

/** The outer part of the visitor key: VISITOR_KEY, or one generated into DATA_DIR/visitor-key. */
export function visitorSecret(configured: string | null, dataDir: string): string {
  return configured ?? generatedSecret(join(dataDir, 'visitor-key'));
}

/** What stands in a file of its owner's alone; made once, and on the disk when it is returned. */
function generatedSecret(path: string): string {
  return readSecret(path) ?? createSecret(path);
}

function readSecret(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim() || null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Whole or not at all: a crash leaves no half of a secret behind. */
function createSecret(path: string): string {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(draft, path);
  } finally {
    rmSync(draft);
  }
  syncFolder(dirname(path));
  return readFileSync(path, 'utf8').trim();
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
