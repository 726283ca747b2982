// Preloaded into a service: its jobs process runs the kinds of test/support/jobs in place of the
// program's, everything else is the program. `real-times` as an argument of the service leaves its
// leases as long as they are.
const childProcess = require('node:child_process');

require('./quick-restarts.cjs');

const { spawn } = childProcess;
const entry = require.resolve('./jobs.process.ts');

childProcess.spawn = (command, args, options) => {
  const isJobs = args?.some((arg) => arg.endsWith('jobs.process.js')) ?? false;
  const own = [require.resolve('../run-ts.mjs'), entry, ...process.argv.slice(2)];
  return spawn(command, isJobs ? own : args, options);
};
