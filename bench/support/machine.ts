import { cpus, loadavg, release, totalmem, type } from 'node:os';

export function machine(): Record<string, unknown> {
  return {
    processor: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memory_gb: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    node: process.version,
    load_before: Number((loadavg()[0] ?? NaN).toFixed(2)),
    date: new Date().toISOString().slice(0, 10),
  };
}
