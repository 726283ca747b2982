import { readdirSync, statSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { childrenOf, commandOf, residentMb } from '../support/pin';

export interface ServiceProcess {
  pid: number;
  role: string;
}

export function processesOf(primary: number): ServiceProcess[] {
  const children = childrenOf(primary).flatMap((pid) => {
    try {
      return [{ pid, role: roleOf(commandOf(pid)) }];
    } catch {
      return [];
    }
  });
  return [{ pid: primary, role: 'primary' }, ...children];
}

function roleOf(command: string): string {
  return /([a-z-]+)\.process\.js/.exec(command)?.[1] ?? 'worker';
}

export interface Sample {
  at: number;
  /** Megabytes by role, summed over each role's processes. */
  memory: Map<string, number>;
  /** The oldest waiting journal file's age in seconds, and the journal's size in megabytes. */
  journalAge: number;
  journalMb: number;
  /** The machine's one-minute load average. */
  machineLoad: number;
}

export function sampleOf(primary: number, dataDir: string, begun: number): Sample {
  const memory = new Map<string, number>();
  for (const { pid, role } of processesOf(primary)) {
    const mb = residentMb(pid);
    if (!Number.isNaN(mb)) memory.set(role, (memory.get(role) ?? 0) + mb);
  }
  const files = journalFiles(join(dataDir, 'journal'));
  const oldest = Math.min(Date.now(), ...files.map(({ modifiedMs }) => modifiedMs));
  return {
    at: Date.now() - begun,
    memory,
    journalAge: (Date.now() - oldest) / 1000,
    journalMb: files.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6,
    machineLoad: loadavg()[0] ?? 0,
  };
}

function journalFiles(folder: string): { bytes: number; modifiedMs: number }[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .flatMap(({ name }) => {
        try {
          const { size, mtimeMs } = statSync(join(folder, name));
          return [{ bytes: size, modifiedMs: mtimeMs }];
        } catch {
          return [];
        }
      });
  } catch {
    return [];
  }
}
