import { accessSync, type BigIntStats, constants, readFileSync, statSync } from 'node:fs';

/** Child processes get secrets in their environment, where Linux limits a value to 128 KiB. */
export const MAX_SECRET_BYTES = 16 * 1024;

/**
 * Reads an operator's file in UTF-8, or UTF-16 with a byte-order mark, and removes the mark.
 * @throws Error with a message that completes a sentence starting with the file
 */
export function readTextFile(path: string, maxBytes: number): string {
  checkFile(path);
  if (statSync(path).size > maxBytes) throw new Error(`has more than ${maxBytes} bytes`);
  const bytes = readFileSync(path);
  const text = decodeText(bytes, detectEncoding(bytes));
  if (!text.includes('\0')) return text;
  throw new Error('contains NUL bytes, like UTF-16 without a byte-order mark: save it as UTF-8');
}

/** Refuses pipes and devices, which may block forever and can be read only once. */
export function checkFile(path: string): void {
  const found = statOrNull(path);
  if (found === null) throw new Error('must name a file that exists');
  if (found.isDirectory()) throw new Error('is a folder, not a file');
  if (!found.isFile()) throw new Error('is a pipe, socket or device, not a file');
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    throw new Error(`cannot be read by user ${process.getuid?.() ?? 0}`, { cause: error });
  }
}

/** Fingerprint that changes if the file is rewritten in place or replaced by renaming. */
export function fileState({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join('/');
}

function statOrNull(path: string) {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be';

function detectEncoding([first, second]: Uint8Array): Encoding {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return 'utf-8';
}

function decodeText(bytes: Buffer, encoding: Encoding): string {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (error) {
    const name = encoding.toUpperCase();
    const guess = encoding === 'utf-8' ? ' (is it Latin-1 or Windows-1252?)' : '';
    throw new Error(`contains bytes that are not ${name}${guess}: save it as UTF-8`, {
      cause: error,
    });
  }
}
