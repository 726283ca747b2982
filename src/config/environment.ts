import {
  jobsSchema,
  type JobsSettings,
  recorderSchema,
  type RecorderSettings,
  type Runtime,
  runtimeSchema,
  statisticsSchema,
  type StatisticsSettings,
} from './environment.schema';

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
  return variablesWhere((name) => FOR_EVERY_CHILD.test(name));
}

/** The same for a program that downloads. */
export function downloadEnvironment(): Record<string, string | undefined> {
  return variablesWhere((name) => FOR_EVERY_CHILD.test(name) || FOR_DOWNLOADS.test(name));
}

function variablesWhere(wanted: (name: string) => boolean): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(processEnvironment()).filter(([name]) => wanted(name)));
}

const RUNTIME_VARIABLE = 'CURTAIL_RUNTIME';
const RECORDER_VARIABLE = 'CURTAIL_RECORDER';
const STATISTICS_VARIABLE = 'CURTAIL_STATISTICS';
const JOBS_VARIABLE = 'CURTAIL_JOBS';

// Environment variables, because arguments of a process could be read by everybody.

export function runtimeEnvironment(runtime: Runtime): Record<string, string> {
  return { [RUNTIME_VARIABLE]: JSON.stringify(runtime) };
}

/** The runtime facts of this process, which is a web worker. */
export function readRuntime(): Runtime {
  return runtimeSchema.parse(handedDown(RUNTIME_VARIABLE));
}

export function recorderEnvironment(settings: RecorderSettings): Record<string, string> {
  return { [RECORDER_VARIABLE]: JSON.stringify(settings) };
}

/** The settings of this process, which is the recorder. */
export function readRecorderSettings(): RecorderSettings {
  return recorderSchema.parse(handedDown(RECORDER_VARIABLE));
}

export function statisticsEnvironment(settings: StatisticsSettings): Record<string, string> {
  return { [STATISTICS_VARIABLE]: JSON.stringify(settings) };
}

/** The settings of this process, which counts statistics. */
export function readStatisticsSettings(): StatisticsSettings {
  return statisticsSchema.parse(handedDown(STATISTICS_VARIABLE));
}

export function jobsEnvironment(settings: JobsSettings): Record<string, string> {
  return { [JOBS_VARIABLE]: JSON.stringify(settings) };
}

/** The settings of this process, which runs jobs. */
export function readJobsSettings(): JobsSettings {
  return jobsSchema.parse(handedDown(JOBS_VARIABLE));
}

function handedDown(name: string): unknown {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is missing in a process of the primary's`);
  return JSON.parse(value);
}
