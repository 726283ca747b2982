import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { childEnvironment } from '../../config/environment';

/** Starts a process with an IPC channel synchronously. */
export type Launch = () => ChildProcess;

export interface ChildCommand {
  command: string;
  args: string[];
  /** In addition to the variables of every child; nothing else is inherited. */
  env?: Readonly<Record<string, string>>;
  /** 0 to 19, effective when CPU is scarce. */
  niceness?: number;
  /** `advanced` for messages that carry bytes. */
  serialization?: 'json' | 'advanced';
}

export function spawning({
  command,
  args,
  env,
  niceness = 0,
  serialization = 'json',
}: ChildCommand): Launch {
  return () => {
    // A separate process group shields the child from Ctrl-C in a terminal.
    const child = spawn(command, args, {
      env: { ...childEnvironment(), ...env },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      serialization,
    });
    if (child.pid !== undefined && niceness > 0) setNiceness(child.pid, niceness);
    return child;
  };
}

/**
 * Niceness 0 to 19. With Linux autogroup it applies to the session and any user may lower it
 * again; elsewhere only root may. Call it right after the start, so that threads inherit it.
 */
export function setNiceness(pid: number, niceness: number): void {
  const session = `/proc/${pid}/autogroup`;
  try {
    if (existsSync(session)) writeFileSync(session, String(niceness));
    else setPriority(pid, niceness);
  } catch {
    // Not permitted or process gone: it then competes with redirects on equal terms.
  }
}
