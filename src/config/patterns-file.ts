import { statSync } from 'node:fs';
import { checkFile, fileState, readTextFile } from './text-file';

/** Each compiled pattern takes a few kilobytes of memory, and about 2 µs per check. */
const MAX_PATTERNS = 10_000;
const MAX_PATTERNS_FILE_BYTES = 16 * 1024 * 1024;

export interface PatternFile {
  readonly state: string;
  readonly patterns: readonly { readonly line: number; readonly source: string }[];
}

/** @throws Error with a message that completes a sentence starting with the file */
export function readPatternsFile(path: string): PatternFile {
  checkFile(path);
  const state = fileState(statSync(path, { bigint: true }));
  const patterns = readTextFile(path, MAX_PATTERNS_FILE_BYTES)
    .split(/\r\n?|\n/)
    .map((text, at) => ({ line: at + 1, source: text.trim() }))
    .filter(({ source }) => source !== '' && !source.startsWith('#'));
  if (patterns.length > MAX_PATTERNS) {
    throw new Error(`may have at most ${MAX_PATTERNS} lines; more would take too long to match`);
  }
  return { state, patterns };
}
