import type { mongo } from 'mongoose';
import { isDuplicateKey } from '../../common/database-fault';

interface MailTurn {
  readonly _id: string;
  /** By the database's clock. */
  readonly next_at: Date;
}

const [SETTINGS, TURN] = ['settings', 'report_mail'];

/** The turn to mail the admins about reports, one in a time on all machines of a database. */
export class ReportMailTurns {
  constructor(private readonly database: { readonly db: mongo.Db | undefined }) {}

  /** Whether the turn is the caller's; the next one comes after so long. */
  async takeTurn(everyMs: number): Promise<boolean> {
    try {
      const first = { $setOnInsert: { next_at: new Date(0) } };
      await this.turns().updateOne({ _id: TURN }, first, { upsert: true });
    } catch (error) {
      // Somebody was quicker.
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
