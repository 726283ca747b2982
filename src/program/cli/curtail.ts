#!/usr/bin/env node
import '../node-version';
import { version } from '../../common/package-info';

/** Modules are loaded on demand; add a line for a new command. */
interface Command {
  readonly summary: string;
  run(args: readonly string[]): Promise<number>;
}

const COMMANDS: Readonly<Record<string, Command>> = {
  start: {
    summary: 'runs the service, as `npm start` does',
    run: async () => {
      await import('../../main.js');
      return 0;
    },
  },
  admin: {
    summary: 'administers links and accounts, shows reports, lists and the trail',
    run: async (args) => (await import('./admin.js')).runAdmin(args),
  },
  verify: {
    summary: 'compares counters with stored clicks (--repair corrects them)',
    run: async (args) => (await import('./verify.js')).runVerify(args),
  },
  copy: {
    summary: 'copy everything from the embedded database to a MongoDB, or back (--to, --from)',
    run: async (args) => (await import('./copy.js')).runCopy(args),
  },
  backup: {
    summary: 'writes a backup of the embedded database, beside the running service',
    run: async (args) => (await import('./backup.js')).runBackup(args),
  },
  restore: {
    summary: 'makes a DATA_DIR from a backup',
    run: async (args) => (await import('./restore.js')).runRestore(args),
  },
};

const USAGE = `Usage: curtail <command> [options]

${Object.entries(COMMANDS)
  .map(([name, { summary }]) => `  ${name.padEnd(8)} ${summary}`)
  .join('\n')}

  --help, --version

Settings are read from the environment: docs/configuration.md has the table.`;

async function main([name = '--help', ...args]: readonly string[]): Promise<number> {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command !== undefined) return command.run(args);
  if (name === '--version') console.log(version());
  else if (name === '--help' || name === '-h' || name === 'help') console.log(USAGE);
  else {
    console.error(`curtail: there is no command ${JSON.stringify(name)}\n\n${USAGE}`);
    return 2;
  }
  return 0;
}

void main(process.argv.slice(2)).then((code) => {
  // The service keeps running and reports its own end.
  if (code !== 0) process.exitCode = code;
});
