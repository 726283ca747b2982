import { UnknownAccountError } from '../../accounts/account/accounts.errors';
import { UnknownJobError } from '../../jobs/jobs.errors';
import { UnknownLinkError } from '../../stores/links/link.errors';
import { ADMIN_COMMANDS } from './admin-commands';
import { UsageError } from './cli.errors';

const nothing = () => Promise.resolve(null);
const SERVICES = {
  storedLinks: { findById: nothing, findByAlias: nothing },
  storedAccounts: { findById: nothing, findByEmail: nothing },
  addresses: { keyOfLabel: (text: string) => text },
} as never;
const LONG = 'x'.repeat(501);

describe('An admin command', () => {
  const run = (name: string, argument: string, options: object = {}) =>
    Promise.resolve().then(() =>
      ADMIN_COMMANDS[name]?.run(SERVICES, { argument, options: new Map(Object.entries(options)) }),
    );

  it.each<[string, string, object]>([
    ['list-accounts', '', { role: 'owner' }],
    ['list-accounts', '', { status: 'gone' }],
    ['list-accounts', '', { search: LONG }],
    ['list-links', '', { status: 'CLOSED' }],
    ['list-links', '', { search: LONG }],
    ['list-jobs', '', { state: 'gone' }],
    ['block', 'abc', { reason: ' ' }],
    ['suspend', 'ada@example.com', { reason: LONG }],
    ['unsuspend', 'ada@example.com', { reason: '' }],
  ])('%s %s rejects the values %j', async (name, argument, options) => {
    await expect(run(name, argument, options)).rejects.toThrow(UsageError);
  });

  it.each<[string, string, new (...args: never[]) => Error]>([
    ['block', 'no-such-link', UnknownLinkError],
    ['unblock', 'f'.repeat(24), UnknownLinkError],
    ['suspend', 'nobody@example.com', UnknownAccountError],
    ['suspend', 'f'.repeat(24), UnknownAccountError],
    ['suspend', 'nobody', UnknownAccountError],
    ['make-admin', 'nobody', UnknownAccountError],
    ['end-sessions', 'nobody@example.com', UnknownAccountError],
    ['reset-password', 'nobody@example.com', UnknownAccountError],
    ['cancel-job', 'nothing', UnknownJobError],
  ])('%s %s fails for an unknown object', async (name, argument, error) => {
    await expect(run(name, argument, { reason: 'Spam' })).rejects.toThrow(error);
  });
});
