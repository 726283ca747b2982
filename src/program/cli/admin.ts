import '../node-version';
import { processEnvironment } from '../../config/environment';
import { readSettings } from '../../config/settings';
import { assertMongoUri } from '../../infrastructure/mongo/mongo-uri';
import { type AdminWords, parseArguments } from './admin-arguments.rules';
import { ADMIN_COMMANDS, type AdminCommand } from './admin-commands';
import { type AdminOutput, toJsonLines, toTable } from './admin-tables';
import { openAdminServices } from './admin.module';
import { runCommand, untilInterrupted } from './command';
import { UsageError } from './cli.errors';
import { withDatabase } from './own-database';

const HELP = Object.entries(ADMIN_COMMANDS).map(
  ([name, { argument, options = {}, confirmed, summary }]) => {
    const words = Object.entries(options).map(([option, need]) =>
      need === 'needed' ? `--${option} TEXT` : `[--${option} TEXT]`,
    );
    return `  ${[name, argument, ...words, confirmed && '--yes'].filter((word) => word !== undefined).join(' ')}\n      ${summary}`;
  },
);

const ADMIN_USAGE = `Usage: curtail admin <command>

${HELP.join('\n')}

The service need not run; a running service applies changes within seconds.
Prints a table, or with --json one JSON object per line.

Exit codes: 0 done, 1 not found or rejected, 2 invalid arguments.`;

export function runAdmin(args: readonly string[]): Promise<number> {
  const run = async (): Promise<void> => {
    const [name = '', ...rest] = args.filter((arg) => arg !== '--json');
    const command = Object.hasOwn(ADMIN_COMMANDS, name) ? ADMIN_COMMANDS[name] : undefined;
    if (command === undefined) throw new UsageError(`Unknown command ${JSON.stringify(name)}`);
    const output = await carryOut(command, parseArguments(command, rest));
    process.stdout.write(
      args.includes('--json') ? toJsonLines(output) : toTable(output, process.stdout.columns),
    );
    if (output.note !== undefined) console.error(output.note);
  };
  return runCommand(args, ADMIN_USAGE, () => untilInterrupted(run));
}

async function carryOut(command: AdminCommand, words: AdminWords): Promise<AdminOutput> {
  const settings = readSettings(processEnvironment());
  if (settings.mongoUri !== null) assertMongoUri(settings.mongoUri);
  return withDatabase(settings, async (connection, { mongo }) => {
    const { services, close } = await openAdminServices(connection, mongo, settings);
    try {
      return await command.run(services, words);
    } finally {
      await close();
    }
  });
}
