import { join } from 'node:path';

/** The arguments with which node runs a file of test/support/processes as a process of its own. */
export function tsProcess(name: string, ...args: string[]): string[] {
  return [join(__dirname, 'run-ts.mjs'), join(__dirname, 'processes', `${name}.ts`), ...args];
}
