#!/usr/bin/env node
import '../node-version';
import '../../processes/bundle';
import { version } from '../../common/package-info';

/** A command whose module is loaded on demand. To add a command, add a line. */
interface Command {
  readonly summary: string;
  run(args: readonly string[]): Promise<number>;
}

const COMMANDS: Readonly<Record<string, Command>> = {
  start: {
    summary: 'Run the service, as `npm start` does',
    run: async (args) => {
      if (args.includes('--help')) console.log(USAGE);
      else await import('../../main.js');
      return 0;
    },
  },
  admin: {
    summary: 'Manage links, accounts and jobs; show reports and the audit trail',
    run: async (args) => (await import('./admin.js')).runAdmin(args),
  },
  verify: {
    summary: 'Compare counters with stored clicks (--repair corrects them)',
    run: async (args) => (await import('./verify.js')).runVerify(args),
  },
  copy: {
    summary: 'Copy everything or the clicks to another database, or back',
    run: async (args) => (await import('./copy.js')).runCopy(args),
  },
  backup: {
    summary: 'Back up the embedded database, even while the service runs',
    run: async (args) => (await import('./backup.js')).runBackup(args),
  },
  restore: {
    summary: 'Create a DATA_DIR from a backup',
    run: async (args) => (await import('./restore.js')).runRestore(args),
  },
};

const USAGE = `Usage: curtail <command> [options]

${Object.entries(COMMANDS)
  .map(([name, { summary }]) => `  ${name.padEnd(8)} ${summary}`)
  .join('\n')}

  --help     Show this help; after a command, the help of the command
  --version  Show the version

Settings are environment variables: see docs/configuration.md.`;

async function main([name = '--help', ...args]: readonly string[]): Promise<number> {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command !== undefined) return command.run(args);
  if (name === '--version') console.log(version());
  else if (name === '--help' || name === '-h' || name === 'help') console.log(USAGE);
  else {
    console.error(`curtail: unknown command ${JSON.stringify(name)}; curtail --help lists them`);
    return 2;
  }
  return 0;
}

// A reader such as `head` may close the pipe; the command still completes its work.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

void main(process.argv.slice(2)).then((code) => {
  // `run` returns no exit code: the service keeps running and sets it when it ends.
  if (code !== 0) process.exitCode = code;
});
