import { statSync } from 'node:fs';
import { checkFile, fileState, readTextFile } from '../../config/text-file';
import { addUnreadable, type UnreadableLines } from '../lists/unreadable-lines';
import { hostsOfLine } from './host-lines';
import { type HostTable, HostTableBuilder } from './host-table';

export const MAX_HOSTS = 1_000_000;
const MAX_HOSTS_FILE_BYTES = 64 * 1024 * 1024;

interface HostList {
  /** File state taken before reading, so that later changes are noticed. */
  readonly state: string;
  readonly table: HostTable;
  readonly unreadable: UnreadableLines;
}

/** @throws Error with a message that continues a sentence starting with the file */
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
    if (builder.size > MAX_HOSTS) throw new Error(`may have at most ${MAX_HOSTS} hosts`);
    if (hosts === null) addUnreadable(unreadable, number + 1, line);
  }
  return { state, table: builder.build(), unreadable };
}
