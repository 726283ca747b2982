// Preloaded into a service: its jobs process runs the kinds of test/support/jobs in place of the
// program's, everything else is the program. `real-times` as an argument of the service leaves its
// leases as long as they are.
const { join } = require('node:path');
const childProcess = require('node:child_process');

require('./quick-restarts.cjs');

const { spawn } = childProcess;
const entry = join(__dirname, 'jobs.process.ts');

childProcess.spawn = (command, args, options) => {
  const isJobs = args?.some((arg) => arg.endsWith('jobs.process.js')) ?? false;
  const own = [join(__dirname, '..', 'run-ts.mjs'), entry, ...process.argv.slice(2)];
  return spawn(command, isJobs ? own : args, options);
};
