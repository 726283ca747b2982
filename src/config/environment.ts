import type { JobsSettings, RecorderSettings, Runtime, StatisticsSettings } from './options';

/** The only code that reads process.env. All other code gets option objects. */
export function processEnvironment(): Readonly<Record<string, string | undefined>> {
  return { ...process.env };
}

/** Paths, locale and time zone, which contain no secrets. */
const FOR_EVERY_CHILD =
  /^(PATH|HOME|USER|LANG|LANGUAGE|LC_[A-Z]+|TZ|TZDIR|TMPDIR|XDG_CACHE_HOME|LD_[A-Z_]+|DYLD_[A-Z_]+|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR))$/;
/** Proxy settings for network access, which may contain a password. */
const FOR_DOWNLOADS = /^((https?|ftp|all|no)_proxy|APT_CONFIG)$/i;

/** An allowlist, because children must not get secrets or NODE_OPTIONS. */
export function childEnvironment(): Record<string, string | undefined> {
  return variablesWhere((name) => FOR_EVERY_CHILD.test(name));
}

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

// Passed as environment variables, because all users can read process arguments.

export function runtimeEnvironment(runtime: Runtime): Record<string, string> {
  return { [RUNTIME_VARIABLE]: JSON.stringify(runtime) };
}

export function readRuntime(): Runtime {
  return handedDown(RUNTIME_VARIABLE) as Runtime;
}

export function recorderEnvironment(settings: RecorderSettings): Record<string, string> {
  return { [RECORDER_VARIABLE]: JSON.stringify(settings) };
}

export function readRecorderSettings(): RecorderSettings {
  return handedDown(RECORDER_VARIABLE) as RecorderSettings;
}

export function statisticsEnvironment(settings: StatisticsSettings): Record<string, string> {
  return { [STATISTICS_VARIABLE]: JSON.stringify(settings) };
}

export function readStatisticsSettings(): StatisticsSettings {
  return handedDown(STATISTICS_VARIABLE) as StatisticsSettings;
}

export function jobsEnvironment(settings: JobsSettings): Record<string, string> {
  return { [JOBS_VARIABLE]: JSON.stringify(settings) };
}

export function readJobsSettings(): JobsSettings {
  return handedDown(JOBS_VARIABLE) as JobsSettings;
}

function handedDown(name: string): unknown {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is missing in a child process of the primary`);
  return JSON.parse(value);
}
