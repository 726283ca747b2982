/**
 * The one place that reads process.env. Everything else takes option objects, or, for a worker
 * process, the runtime facts that the primary hands down.
 */
export function processEnvironment(): Readonly<Record<string, string | undefined>> {
  return { ...process.env };
}

/** Where things are, in which language and time zone: paths and names, no secrets. */
const FOR_EVERY_CHILD =
  /^(PATH|HOME|USER|LANG|LANGUAGE|LC_[A-Z]+|TZ|TZDIR|TMPDIR|XDG_CACHE_HOME|LD_[A-Z_]+|DYLD_[A-Z_]+|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR))$/;
/** How the network is reached, which may hold a proxy's password. */
const FOR_DOWNLOADS = /^((https?|ftp|all|no)_proxy|APT_CONFIG)$/i;

/**
 * The environment of a child process that does not serve the web: of this process's own only what
 * is known to be needed, so that secrets, also those of other programs, reach no code that has no
 * use for them. NODE_OPTIONS is not among it: an inspector or a heap size is meant for this process.
 */
export function childEnvironment(): Record<string, string | undefined> {
  return pick((name) => FOR_EVERY_CHILD.test(name));
}

/** The same for a program that downloads. */
export function downloadEnvironment(): Record<string, string | undefined> {
  return pick((name) => FOR_EVERY_CHILD.test(name) || FOR_DOWNLOADS.test(name));
}

function pick(wanted: (name: string) => boolean): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(processEnvironment()).filter(([name]) => wanted(name)));
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
