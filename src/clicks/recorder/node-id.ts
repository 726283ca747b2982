import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { isFileNotFound, replaceFile } from './durable-file';

/**
 * This installation's own name in the marks of the stores: 8 hex characters, made once and kept
 * in DATA_DIR/node-id. Two data folders on one database must not share it.
 */
export async function nodeId(dataDir: string): Promise<string> {
  const file = path.join(dataDir, 'node-id');
  try {
    const known = (await readFile(file, 'utf8')).trim();
    if (/^[0-9a-f]{8}$/.test(known)) return known;
  } catch (error) {
    if (!isFileNotFound(error)) throw error;
  }
  const fresh = randomBytes(4).toString('hex');
  await replaceFile(file, `${fresh}\n`);
  return fresh;
}
