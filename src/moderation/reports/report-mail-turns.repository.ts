import type { mongo } from 'mongoose';
import { isDuplicateKey } from '../../common/database-fault';

interface MailTurn {
  readonly _id: string;
  /** Database time. */
  readonly next_at: Date;
}

const [SETTINGS, TURN] = ['settings', 'report_mail'];

/** Limits emails about reports across all machines that share a database. */
export class ReportMailTurns {
  constructor(private readonly database: { readonly db: mongo.Db | undefined }) {}

  /** Whether the caller may send now; the next turn is after `everyMs`. */
  async takeTurn(everyMs: number): Promise<boolean> {
    try {
      const first = { $setOnInsert: { next_at: new Date(0) } };
      await this.turns().updateOne({ _id: TURN }, first, { upsert: true });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
    const { modifiedCount } = await this.turns().updateOne(
      { _id: TURN, $expr: { $lte: ['$next_at', '$$NOW'] } },
      [{ $set: { next_at: { $add: ['$$NOW', everyMs] } } }],
    );
    return modifiedCount === 1;
  }

  private turns(): mongo.Collection<MailTurn> {
    const { db } = this.database;
    if (db === undefined) throw new Error('The connection is not open');
    return db.collection<MailTurn>(SETTINGS);
  }
}
