import { execFile } from 'node:child_process';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { downloadEnvironment } from '../../../config/environment';

const run = promisify(execFile);
const LIMIT_MS = 180_000;

/**
 * Runs a program of the system to its end and returns what it printed.
 * @throws Error in one line: the program and its own first error
 */
export async function runTool(program: string, args: string[], cwd?: string): Promise<string> {
  try {
    const env = downloadEnvironment();
    return (await run(program, args, { cwd, env, timeout: LIMIT_MS })).stdout;
  } catch (error) {
    const { code, killed, stderr = '' } = error as Failure;
    const reason =
      code === 'ENOENT' ? 'not found' : killed === true ? 'took too long' : firstError(stderr);
    throw new Error(`${basename(program)}: ${reason}`, { cause: error });
  }
}

interface Failure extends Error {
  code?: number | string;
  killed?: boolean;
  stderr?: string;
}

function firstError(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  const line = lines.find((candidate) => /^(E|Err|error)\b/i.test(candidate)) ?? lines[0];
  // The address of a private archive may carry a password.
  return (line ?? 'failed without a word').replace(/\/\/[^/\s]*@/g, '//');
}
