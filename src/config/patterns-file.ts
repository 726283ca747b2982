import { statSync } from 'node:fs';
import { checkFile, fileState, readTextFile } from './text-file';

/** Each takes some kilobytes when it is compiled, and about 2 µs of every check. */
const MAX_PATTERNS = 10_000;
const MAX_PATTERNS_FILE_BYTES = 16 * 1024 * 1024;

/** A line of BLOCKED_URLS_FILE: the source of a regular expression. */
export interface PatternLine {
  readonly line: number;
  readonly source: string;
}

/** BLOCKED_URLS_FILE as it was read. */
export interface PatternFile {
  /** State of the file before it was read. */
  readonly state: string;
  readonly patterns: readonly PatternLine[];
}

/**
 * Reads one pattern a line; `#` starts a comment line.
 * @throws Error whose message completes a sentence that begins with the file
 */
export function readPatternsFile(path: string): PatternFile {
  checkFile(path);
  const state = fileState(statSync(path, { bigint: true }));
  const patterns = readTextFile(path, MAX_PATTERNS_FILE_BYTES)
    .split(/\r\n?|\n/)
    .map((text, at) => ({ line: at + 1, source: text.trim() }))
    .filter(({ source }) => source !== '' && !source.startsWith('#'));
  if (patterns.length > MAX_PATTERNS) {
    throw new Error(`may hold ${MAX_PATTERNS} lines, more cannot be tried in time`);
  }
  return { state, patterns };
}
