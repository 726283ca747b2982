import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { childEnvironment } from '../../config/environment';

/** Starts one process with an IPC channel, at once: `spawning` for programs, or cluster.fork. */
export type Launch = () => ChildProcess;

/** A program to start. */
export interface ChildCommand {
  command: string;
  args: string[];
  /** Its variables beside those of every child; it inherits nothing else of the parent's. */
  env?: Readonly<Record<string, string>>;
  /** Its niceness when the processor is short, 0 to 19. */
  niceness?: number;
  /** How messages are written: as JSON, or `advanced` where they carry bytes. */
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
    // A process group of its own keeps a terminal's Ctrl-C away from it.
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
 * Sets the niceness of a process while others need the processor, 0 (not at all) to 19. Where
 * Linux weighs whole sessions against each other (autogroup), this is the session's weight, which
 * any user may take back; elsewhere the process's own, which only root may. To be called right
 * after the start, so that threads inherit it. A system that refuses leaves things as they are.
 */
export function setNiceness(pid: number, niceness: number): void {
  const session = `/proc/${pid}/autogroup`;
  try {
    if (existsSync(session)) writeFileSync(session, String(niceness));
    else setPriority(pid, niceness);
  } catch {
    // No such right, or the process is gone: redirects then compete on equal terms.
  }
}
