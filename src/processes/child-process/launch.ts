import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { childEnvironment } from '../../config/environment';

/** Starts a process with an IPC channel synchronously. */
export type Launch = () => ChildProcess;

export interface ChildCommand {
  command: string;
  args: string[];
  /** Variables to add to those that all children get. A child inherits no other variables. */
  env?: Readonly<Record<string, string>>;
  /** 0 to 19. A higher value gives the process less CPU time under load. */
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
    // A separate process group, so that Ctrl-C in a terminal does not stop the child.
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
 * Sets a niceness from 0 to 19. With Linux autogroup, it applies to the session and any user may
 * lower it again; otherwise, only root may. Call right after launch, so that threads inherit it.
 */
export function setNiceness(pid: number, niceness: number): void {
  const session = `/proc/${pid}/autogroup`;
  try {
    if (existsSync(session)) writeFileSync(session, String(niceness));
    else setPriority(pid, niceness);
  } catch {
    // Setting it is not permitted, or the process has ended.
  }
}
