import { join } from 'node:path';

export function tsProcess(name: string, ...args: string[]): string[] {
  return [join(__dirname, 'run-ts.mjs'), join(__dirname, 'processes', `${name}.ts`), ...args];
}
