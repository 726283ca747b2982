// Preloaded into a service: its jobs process runs the job kinds from test/support/jobs instead of
// the program's; everything else is unchanged. The service's argument `real-times` keeps the normal
// lease durations.
const childProcess = require('node:child_process');

require('./quick-restarts.cjs');

const { spawn } = childProcess;
const entry = require.resolve('./jobs.process.ts');

childProcess.spawn = (command, args, options) => {
  const isJobs = args?.some((arg) => arg.endsWith('jobs.process.js')) ?? false;
  const own = [require.resolve('../run-ts.mjs'), entry, ...process.argv.slice(2)];
  return spawn(command, isJobs ? own : args, options);
};
