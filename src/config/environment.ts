/**
 * The one place that reads process.env. Everything else takes option objects, or, for a worker
 * process, the runtime facts that the primary hands down.
 */
export function processEnvironment(): Readonly<Record<string, string | undefined>> {
  return { ...process.env };
}

/** What the primary knows only once it runs, handed to worker processes. */
export interface Runtime {
  readonly mongoUri: string;
  readonly jwtSecret: string;
}

const RUNTIME_VARIABLE = 'CURTAIL_RUNTIME';

export function runtimeEnvironment(runtime: Runtime): Record<string, string> {
  return { [RUNTIME_VARIABLE]: JSON.stringify(runtime) };
}

/** The runtime facts of a worker process. */
export function readRuntime(): Runtime {
  const value = process.env[RUNTIME_VARIABLE];
  if (value === undefined) throw new Error(`${RUNTIME_VARIABLE} is missing in a worker process`);
  return JSON.parse(value) as Runtime;
}
