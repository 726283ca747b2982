import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The signing secret: JWT_SECRET, or one generated once into DATA_DIR/jwt-secret. */
export function signingSecret(configured: string | null, dataDir: string): string {
  if (configured !== null) return configured;
  const path = join(dataDir, 'jwt-secret');
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
  return readFileSync(path, 'utf8').trim();
}
