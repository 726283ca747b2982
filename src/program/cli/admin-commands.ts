import type { Account, Role } from '../../accounts/account';
import { readEmail } from '../../accounts/account-email';
import { toUserResponse, type UserResponse } from '../../accounts/account.response';
import { UnknownAccountError } from '../../accounts/accounts.errors';
import type { AuditEntryResponse } from '../../administration/audit-trail.response';
import type { AdminLinkResponse } from '../../administration/links/admin-link.response';
import { MAX_REASON } from '../../administration/reason.dto';
import type { AuditActor } from '../../audit-trail/audit-entry';
import { isId } from '../../common/http/parse-id.pipe';
import { UnknownLinkError } from '../../link-store/link.errors';
import { SEARCHED_STATUSES } from '../../link-store/link-search';
import { type AdminOutput, type Columns, outputOf } from './admin-output';
import type { AdminServices } from './admin-services';
import { UsageError } from './command';

/** The words of a command line behind the name of the command. */
export interface AdminWords {
  /** The word that belongs to no option; empty without. */
  readonly argument: string;
  readonly options: ReadonlyMap<string, string>;
}

/** A command of `curtail admin`; a further one is one more row. */
export interface AdminCommand {
  /** The subject of the command, as the usage names it. */
  readonly argument?: string;
  /** Options, each with a value. */
  readonly options?: Readonly<Record<string, 'needed' | 'optional'>>;
  readonly summary: string;
  run(services: AdminServices, words: AdminWords): Promise<AdminOutput>;
}

const ACTOR: AuditActor = { id: null, via: 'cli' };
const PAGE_SIZE = 100;
/** Objects that one command prints. */
const MAX_PRINTED = 1000;
const LINK = 'CODE|ID';
const ACCOUNT = 'EMAIL|ID';

const LINK_COLUMNS: Columns<AdminLinkResponse> = {
  id: ({ id }) => id,
  'short url': ({ short_url }) => short_url,
  status: ({ status }) => status,
  owner: ({ owner }) => owner && (owner.email ?? owner.id),
  clicks: ({ total_clicks }) => total_clicks,
  'long url': ({ long_url }) => long_url,
  reason: ({ blocked }) => blocked?.reason ?? null,
};
const ACCOUNT_COLUMNS: Columns<UserResponse> = {
  id: ({ id }) => id,
  email: ({ email }) => email,
  verified: ({ email_verified }) => String(email_verified),
  role: ({ role }) => role,
  name: ({ user_name }) => user_name,
};
const TRAIL_COLUMNS: Columns<AuditEntryResponse> = {
  at: ({ at }) => at,
  act: ({ act }) => act,
  about: ({ subject }) => subject.alias ?? subject.email ?? subject.id,
  by: ({ actor }) => actor.email ?? actor.id ?? actor.via,
  reason: ({ reason }) => reason,
};

export const ADMIN_COMMANDS: Readonly<Record<string, AdminCommand>> = {
  'list-links': {
    options: { search: 'optional', host: 'optional', owner: 'optional', status: 'optional' },
    summary: 'links of all accounts, the newest first',
    run: async ({ links }, { options }) => {
      const status = SEARCHED_STATUSES.find((each) => each === options.get('status'));
      if (options.has('status') && status === undefined) {
        throw new UsageError(`--status is one of ${SEARCHED_STATUSES.join(', ')}`);
      }
      const [search, host, owner] = ['search', 'host', 'owner'].map((name) => options.get(name));
      const page = (n: number) =>
        links.search({ search, host, owner, status, page: n, pageSize: PAGE_SIZE });
      return allOf(page, LINK_COLUMNS);
    },
  },
  block: {
    argument: LINK,
    options: { reason: 'needed' },
    summary: 'closes a link to its visitors',
    run: async (services, words) => {
      const reason = reasonOf(words) ?? '';
      const id = await linkIdOf(services, words.argument);
      return linkOutput(await services.links.block(id, reason, ACTOR));
    },
  },
  unblock: {
    argument: LINK,
    options: { reason: 'optional' },
    summary: 'opens it again',
    run: async (services, words) => {
      const reason = reasonOf(words);
      const id = await linkIdOf(services, words.argument);
      return linkOutput(await services.links.unblock(id, reason, ACTOR));
    },
  },
  'delete-link': {
    argument: LINK,
    options: { reason: 'optional' },
    summary: 'removes a link with its clicks, for good',
    run: async (services, words) => {
      const reason = reasonOf(words);
      const id = await linkIdOf(services, words.argument);
      const removed = await services.links.remove(id, reason, ACTOR);
      return outputOf([removed], { id: (row) => row.id, done: (row) => row.message });
    },
  },
  'make-admin': {
    argument: ACCOUNT,
    summary: 'lets a verified account administer the service',
    run: (services, { argument }) => withRole(services, argument, 'admin'),
  },
  'take-admin': {
    argument: ACCOUNT,
    summary: 'takes that from it',
    run: (services, { argument }) => withRole(services, argument, 'user'),
  },
  trail: {
    summary: 'who did what as an admin, the newest first',
    run: async ({ trail }) => {
      const page = (n: number) => trail.page({ page: n, pageSize: PAGE_SIZE });
      return allOf(page, TRAIL_COLUMNS);
    },
  },
};

async function allOf<Row extends object>(
  page: (n: number) => Promise<{ items: readonly Row[]; total: number; hasNext: boolean }>,
  columns: Columns<Row>,
): Promise<AdminOutput> {
  const rows: Row[] = [];
  for (let n = 1; ; n++) {
    const { items, total, hasNext } = await page(n);
    rows.push(...items);
    if (!hasNext) return outputOf(rows, columns);
    if (rows.length < MAX_PRINTED) continue;
    return outputOf(rows, columns, `${total - rows.length} more are not shown`);
  }
}

function linkOutput(link: AdminLinkResponse): AdminOutput {
  return outputOf([link], LINK_COLUMNS);
}

/** A code on a custom domain has that before it: `links.example.com/code`. */
async function linkIdOf({ stored, addresses }: AdminServices, text: string): Promise<string> {
  if (isId(text)) {
    const link = await stored.findById(text.toLowerCase());
    if (link !== null) return link.id;
  }
  const key = addresses.keyOfLabel(text, null);
  const link = key === null ? null : await stored.findByAlias(key);
  if (link === null) throw new UnknownLinkError('address');
  return link.id;
}

async function accountOf({ accounts }: AdminServices, text: string): Promise<Account> {
  const email = readEmail(text);
  const account = isId(text)
    ? await accounts.findById(text.toLowerCase())
    : email && (await accounts.findByEmail(email));
  if (!account) throw new UnknownAccountError();
  return account;
}

async function withRole(services: AdminServices, text: string, role: Role): Promise<AdminOutput> {
  const { id } = await accountOf(services, text);
  const account = await services.admins.setRole(id, role, ACTOR);
  return outputOf([toUserResponse(account)], ACCOUNT_COLUMNS);
}

function reasonOf({ options }: AdminWords): string | null {
  const reason = options.get('reason')?.trim();
  if (reason === undefined) return null;
  if (reason !== '' && reason.length <= MAX_REASON) return reason;
  throw new UsageError(`--reason has 1 to ${MAX_REASON} characters`);
}
