import { Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import { type Connection, mongo } from 'mongoose';

/** Ids of the collections are of several types. */
type Which = (account: mongo.ObjectId) => Readonly<Record<string, unknown>>;

const byOwner: Which = (owner) => ({ owner });

/**
 * All that an account has beside its links and imports, by collection: a feature that keeps something of an
 * account in a collection of its own has a row here.
 */
const OWNED: Readonly<Record<string, Which>> = {
  api_keys: byOwner,
  sessions: (user) => ({ user }),
  oauth_states: (user) => ({ 'link.user': user }),
  codes: (id) => ({
    _id: { $in: ['verification', 'reset'].map((what) => `${what}:${id.toHexString()}`) },
  }),
  code_budgets: (id) => ({ _id: id.toHexString() }),
  idempotency: (account) => ({ account }),
  tags: byOwner,
  utm_templates: byOwner,
  domains: byOwner,
  // Their ids have the account as the first of two fields.
  account_files: (account) => ({
    _id: { $gt: { account }, $lt: { account, name: new mongo.MaxKey() } },
  }),
  imported_revisions: (_id) => ({ _id }),
  // The deletion itself has the id of the account.
  jobs: (owner) => ({ owner, _id: { $ne: owner } }),
};

/** Documents of accounts that nobody shares with them. */
@Injectable()
export class OwnedDocumentsRepository {
  constructor(@InjectConnection() private readonly connection: Connection) {}

  /** Removes those of the account, of every kind. */
  async removeAll(accountId: string): Promise<void> {
    const account = new mongo.ObjectId(accountId);
    for (const [collection, which] of Object.entries(OWNED)) {
      await this.connection.collection(collection).deleteMany(which(account));
    }
  }

  /** Takes the account out of the reports that it has made (docs/contract.md#24.5). */
  async forgetReporter(accountId: string, email: string): Promise<void> {
    const account = new mongo.ObjectId(accountId);
    const isTheirs = [{ 'entry.account': account }, { 'entry.email': email }];
    const gone = { account: '', email: '', org: '' };
    const unset = Object.keys(gone).map((name) => [`entries.$[entry].${name}`, '']);
    await this.connection
      .collection('reports')
      .updateMany(
        { $or: [{ 'entries.account': account }, { 'entries.email': email }] },
        { $unset: Object.fromEntries(unset) as Record<string, ''> },
        { arrayFilters: [{ $or: isTheirs }] },
      );
  }
}
