import { join } from 'node:path';
import { type Service, type ServiceOptions, startService } from '../service';

const ROOT = join(__dirname, '..', '..', '..');
const PRELOAD = join(ROOT, 'test/support/processes/with-test-jobs.cjs');
const MAIN = join(ROOT, 'dist/main.js');

export function startWithJobs(
  options: ServiceOptions = {},
  ...args: 'real-times'[]
): Promise<Service> {
  return startService({ ...options, command: [process.execPath, '-r', PRELOAD, MAIN, ...args] });
}
