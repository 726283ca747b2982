import { parseArguments } from './admin-arguments.rules';
import { UsageError } from './cli.errors';

const run = () => Promise.reject(new Error('not run here'));
const LIST = { options: { search: 'optional', role: 'optional' }, summary: '', run } as const;
const SUSPEND = { argument: 'EMAIL|ID', options: { reason: 'needed' }, summary: '', run } as const;
const UNSUSPEND = { ...SUSPEND, options: { reason: 'optional' } } as const;
const DELETE = { ...SUSPEND, confirmed: true } as const;
const OVERVIEW = { summary: '', run };

describe('The arguments of a command', () => {
  it.each<[Parameters<typeof parseArguments>[0], string[], string, Record<string, string>]>([
    [OVERVIEW, [], '', {}],
    [LIST, [], '', {}],
    [LIST, ['--role=admin', '--search', 'ada'], '', { role: 'admin', search: 'ada' }],
    [LIST, ['--search='], '', { search: '' }],
    [LIST, ['--search=a=b\nc'], '', { search: 'a=b\nc' }],
    [LIST, ['--search', '--role'], '', { search: '--role' }],
    [LIST, ['--role', 'user', '--role', 'admin'], '', { role: 'admin' }],
    [SUSPEND, ['ada', '--reason', 'Spam'], 'ada', { reason: 'Spam' }],
    [SUSPEND, ['--reason', 'Spam', 'ada'], 'ada', { reason: 'Spam' }],
    [UNSUSPEND, ['ada'], 'ada', {}],
    [DELETE, ['--yes', 'ada', '--reason', 'Spam'], 'ada', { reason: 'Spam' }],
  ])('are accepted (%#)', (command, args, argument, options) => {
    const words = parseArguments(command, args);
    expect([words.argument, Object.fromEntries(words.options)]).toEqual([argument, options]);
  });

  it.each<[Parameters<typeof parseArguments>[0], string[], RegExp]>([
    [OVERVIEW, ['now'], /"now" is an unexpected argument/],
    [LIST, ['ada'], /"ada" is an unexpected argument/],
    [LIST, ['--owner', 'ada'], /Unknown option --owner/],
    [LIST, ['--toString', 'ada'], /Unknown option --toString/],
    [LIST, ['--', 'ada'], /Unknown option --$/],
    [SUSPEND, [], /--reason is required/],
    [SUSPEND, ['ada'], /--reason is required/],
    [SUSPEND, ['ada', '--reason'], /--reason needs a value/],
    [SUSPEND, ['--reason', 'Spam'], /Missing argument: EMAIL\|ID/],
    [SUSPEND, ['', '--reason', 'Spam'], /Missing argument: EMAIL\|ID/],
    [SUSPEND, ['ada', 'bob', '--reason', 'Spam'], /"bob" is an unexpected argument/],
    [SUSPEND, ['ada', '--reason', 'Spam', '--yes'], /Unknown option --yes/],
    [DELETE, ['ada', '--reason', 'Spam'], /add --yes to confirm/],
    [DELETE, ['ada', '--yes'], /--reason is required/],
  ])('are rejected (%#)', (command, args, message) => {
    expect(() => parseArguments(command, args)).toThrow(UsageError);
    expect(() => parseArguments(command, args)).toThrow(message);
  });
});
