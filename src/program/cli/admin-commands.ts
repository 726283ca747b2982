import { ACCOUNT_STANDINGS, ROLES } from '../../accounts/account/account';
import { CODE_SECONDS } from '../../accounts/codes/code.schema';
import { isId } from '../../common/http/parse-id.pipe';
import { JOB_KIND_NAMES, JOB_STATES } from '../../infrastructure/jobs/job';
import { UnknownJobError } from '../../jobs/jobs.errors';
import { DOMAIN_STATUSES } from '../../stores/domains/domain';
import { SEARCHED_STATUSES } from '../../stores/links/link-search';
import {
  type AdminUsage,
  type AdminWords,
  readReason,
  readText,
  readWord,
} from './admin-arguments.rules';
import {
  ACCOUNT_COLUMNS,
  ADMIN_LINK_COLUMNS,
  type AdminOutput,
  DOMAIN_COLUMNS,
  HOST_COLUMNS,
  JOB_COLUMNS,
  listsOutput,
  PAGE_SIZE,
  readAllPages,
  REPORT_COLUMNS,
  RESET_COLUMNS,
  toFigures,
  toOutput,
  TRAIL_COLUMNS,
} from './admin-tables';
import { ACTOR, findAccount, findLinkId, onAccount, onLink, setShared } from './admin-targets';
import type { AdminServices } from './admin.module';

/** A command of `curtail admin`. To add a command, add a row. */
export interface AdminCommand extends AdminUsage {
  run(services: AdminServices, words: AdminWords): Promise<AdminOutput>;
}

const LINK = 'CODE|ID';
const ACCOUNT = 'EMAIL|ID';
const DOMAIN = 'FQDN|ID';

export const ADMIN_COMMANDS: Readonly<Record<string, AdminCommand>> = {
  'list-links': {
    options: { search: 'optional', host: 'optional', owner: 'optional', status: 'optional' },
    summary: 'List links from all accounts, newest first',
    run: async ({ links }, { options }) => {
      const status = readWord(options, 'status', SEARCHED_STATUSES);
      const [search, host, owner] = ['search', 'host', 'owner'].map((name) =>
        readText(options, name),
      );
      const page = (n: number) =>
        links.search({ search, host, owner, status, page: n, pageSize: PAGE_SIZE });
      return readAllPages(page, ADMIN_LINK_COLUMNS);
    },
  },
  block: {
    argument: LINK,
    options: { reason: 'needed' },
    summary: 'Block a link; visitors get 410',
    run: (services, words) =>
      onLink(services, words, ({ links }, id, reason) => links.block(id, reason ?? '', ACTOR)),
  },
  unblock: {
    argument: LINK,
    options: { reason: 'optional' },
    summary: 'Unblock a link',
    run: (services, words) =>
      onLink(services, words, ({ links }, id, reason) => links.unblock(id, reason, ACTOR)),
  },
  'delete-link': {
    argument: LINK,
    options: { reason: 'optional' },
    summary: 'Delete a link and its clicks; this cannot be undone',
    run: async (services, words) => {
      const reason = readReason(words);
      const id = await findLinkId(services, words.argument);
      const removed = await services.links.remove(id, reason, ACTOR);
      return toOutput([removed], { id: (row) => row.id, done: (row) => row.message });
    },
  },
  'block-host': {
    argument: 'HOST',
    options: { reason: 'optional' },
    summary: 'Block a host and its subdomains in new and existing links',
    run: async ({ hosts }, words) => {
      const { entry } = await hosts.block(
        { host: words.argument, reason: readReason(words) },
        ACTOR,
      );
      return toOutput([entry], HOST_COLUMNS);
    },
  },
  'unblock-host': {
    argument: 'HOST',
    summary: 'Unblock a host that block-host or an admin blocked',
    run: async ({ hosts }, { argument }) => {
      const removed = await hosts.unblock(argument, ACTOR);
      return toOutput([removed], { host: ({ host }) => host, done: ({ message }) => message });
    },
  },
  'list-blocked-hosts': {
    summary: 'List hosts that admins blocked, newest first',
    run: async ({ hosts }) =>
      readAllPages((page) => hosts.list({ page, pageSize: PAGE_SIZE }), HOST_COLUMNS),
  },
  'list-domains': {
    options: { search: 'optional', status: 'optional', shared: 'optional' },
    summary: "List all accounts' custom domains, newest first",
    run: async ({ domains }, { options }) => {
      const shared = readWord(options, 'shared', ['true', 'false']);
      const query = {
        search: readText(options, 'search'),
        status: readWord(options, 'status', DOMAIN_STATUSES),
        shared: shared && shared === 'true',
        pageSize: PAGE_SIZE,
      };
      return readAllPages((page) => domains.list({ ...query, page }), DOMAIN_COLUMNS);
    },
  },
  'share-domain': {
    argument: DOMAIN,
    options: { reason: 'optional' },
    summary: "Let all accounts create links on an admin's active domain",
    run: (services, words) => setShared(services, words, true),
  },
  'unshare-domain': {
    argument: DOMAIN,
    options: { reason: 'optional' },
    summary: 'Stop sharing a domain; existing links continue to work',
    run: (services, words) => setShared(services, words, false),
  },
  'list-accounts': {
    options: { search: 'optional', role: 'optional', status: 'optional' },
    summary: 'List accounts, newest first',
    run: async ({ accounts }, { options }) => {
      const query = {
        search: readText(options, 'search'),
        role: readWord(options, 'role', ROLES),
        status: readWord(options, 'status', ACCOUNT_STANDINGS),
        ...({ sortBy: 'created_at', sortOrder: 'descending', pageSize: PAGE_SIZE } as const),
      };
      return readAllPages((page) => accounts.search({ ...query, page }), ACCOUNT_COLUMNS);
    },
  },
  suspend: {
    argument: ACCOUNT,
    options: { reason: 'needed' },
    summary: 'Suspend an account, close its links and notify the owner by email',
    run: (services, words) =>
      onAccount(services, words, ({ accountActs }, id, reason) =>
        accountActs.suspend(id, reason ?? '', ACTOR),
      ),
  },
  unsuspend: {
    argument: ACCOUNT,
    options: { reason: 'optional' },
    summary: "End an account's suspension",
    run: (services, words) =>
      onAccount(services, words, ({ accountActs }, id, reason) =>
        accountActs.unsuspend(id, reason, ACTOR),
      ),
  },
  'make-admin': {
    argument: ACCOUNT,
    summary: 'Make a verified account an admin',
    run: (services, words) =>
      onAccount(services, words, ({ accountActs }, id) => accountActs.setRole(id, 'admin', ACTOR)),
  },
  'take-admin': {
    argument: ACCOUNT,
    summary: 'Make an admin an ordinary account',
    run: (services, words) =>
      onAccount(services, words, ({ accountActs }, id) => accountActs.setRole(id, 'user', ACTOR)),
  },
  'end-sessions': {
    argument: ACCOUNT,
    summary: "End an account's sessions",
    run: (services, words) =>
      onAccount(services, words, ({ accountActs }, id) => accountActs.endSessions(id, ACTOR)),
  },
  'reset-password': {
    argument: ACCOUNT,
    summary: 'End all sessions and print a code for a new password; sends no email',
    run: async (services, { argument }) => {
      const { id } = await findAccount(services, argument);
      const { account, code } = await services.accountActs.issueReset(id, ACTOR);
      const page = `${services.baseUrl}/login/reset-password`;
      const expires_at = new Date(Date.now() + CODE_SECONDS * 1000).toISOString();
      return toOutput([Object.assign(account, { code, page, expires_at })], RESET_COLUMNS);
    },
  },
  'setup-link': {
    summary: 'Print a new link for creating the first administrator',
    run: async ({ setupLinks }) =>
      toOutput([await setupLinks.issue()], {
        link: ({ link }) => link,
        expires_at: ({ expires_at }) => expires_at,
      }),
  },
  'sign-in-link': {
    argument: ACCOUNT,
    summary: 'Print a link that signs in to an account once within an hour',
    run: async (services, { argument }) => {
      const account = await findAccount(services, argument);
      const link = await services.signInLinks.issue(account, ACTOR);
      return toOutput([{ email: account.email, ...link }], {
        email: ({ email }) => email,
        link: ({ link: address }) => address,
        expires_at: ({ expires_at }) => expires_at,
      });
    },
  },
  'delete-account': {
    argument: ACCOUNT,
    options: { reason: 'needed' },
    confirmed: true,
    summary: 'Delete an account and all its data; this cannot be undone',
    run: async (services, words) => {
      const reason = readReason(words) ?? '';
      const { id, email } = await findAccount(services, words.argument);
      const { deletes_at, job } = await services.accountActs.remove(id, { email, reason }, ACTOR);
      const begun = { email, deletes_at, job };
      return toOutput([begun], { email: (row) => row.email, job: (row) => row.job.state });
    },
  },
  'list-jobs': {
    options: { state: 'optional', kind: 'optional', owner: 'optional' },
    summary: 'List imports and other jobs from all accounts, newest first',
    run: async ({ jobs }, { options }) => {
      const query = {
        state: readWord(options, 'state', JOB_STATES),
        kind: readWord(options, 'kind', JOB_KIND_NAMES),
        owner: readText(options, 'owner'),
        pageSize: PAGE_SIZE,
      };
      return readAllPages((page) => jobs.list({ ...query, page }), JOB_COLUMNS);
    },
  },
  'cancel-job': {
    argument: 'ID',
    options: { reason: 'optional' },
    summary: 'Cancel a job; finished work is kept',
    run: async ({ jobs }, words) => {
      const reason = readReason(words);
      if (!isId(words.argument)) throw new UnknownJobError();
      const job = await jobs.cancel(words.argument.toLowerCase(), reason, ACTOR);
      return toOutput([job], JOB_COLUMNS);
    },
  },
  overview: {
    summary: 'Show service-wide figures',
    run: async ({ overview, readListFiles }) => {
      await readListFiles();
      return toFigures(await overview.overview());
    },
  },
  reports: {
    summary: 'List open reports of links, newest first',
    run: async ({ reports }) =>
      readAllPages(
        (page) => reports.list({ state: 'open', page, pageSize: PAGE_SIZE }),
        REPORT_COLUMNS,
      ),
  },
  lists: {
    summary: 'Show the current state of the blocklist files',
    run: async ({ lists, readListFiles }) => {
      await readListFiles();
      return listsOutput(await lists.read());
    },
  },
  trail: {
    summary: 'Show the audit trail of admin actions, newest first',
    run: async ({ trail }) => {
      const page = (n: number) => trail.page({ page: n, pageSize: PAGE_SIZE });
      return readAllPages(page, TRAIL_COLUMNS);
    },
  },
};
