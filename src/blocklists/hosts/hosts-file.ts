import { statSync } from 'node:fs';
import { checkFile, fileState, readTextFile } from '../../config/text-file';
import { addUnreadable, type UnreadableLines } from '../unreadable-lines';
import { hostsOfLine } from './host-lines';
import { type HostTable, HostTableBuilder } from './host-table';

export const MAX_HOSTS = 1_000_000;
const MAX_HOSTS_FILE_BYTES = 64 * 1024 * 1024;

/** A list of hosts as BLOCKED_HOSTS_FILE has it. */
interface HostList {
  /** State of the file before it was read. */
  readonly state: string;
  readonly table: HostTable;
  readonly unreadable: UnreadableLines;
}

/**
 * Reads one host a line, or lines of a hosts file (docs/contract.md#24.6).
 * @throws Error whose message completes a sentence that begins with the file
 */
export function readHostsFile(path: string): HostList {
  checkFile(path);
  const state = fileState(statSync(path, { bigint: true }));
  const text = readTextFile(path, MAX_HOSTS_FILE_BYTES);
  const builder = new HostTableBuilder();
  const unreadable: UnreadableLines = { total: 0, lines: [] };
  let number = 0;
  for (let from = 0; from < text.length; number += 1) {
    const newline = text.indexOf('\n', from);
    const line = text.slice(from, newline === -1 ? text.length : newline);
    from += line.length + 1;
    const hosts = hostsOfLine(line);
    for (const host of hosts ?? []) builder.add(host);
    if (builder.size > MAX_HOSTS) throw new Error(`may hold ${MAX_HOSTS} hosts`);
    if (hosts === null) addUnreadable(unreadable, number + 1, line);
  }
  return { state, table: builder.build(), unreadable };
}
