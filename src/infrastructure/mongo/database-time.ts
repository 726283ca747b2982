import type { mongo } from 'mongoose';

/** The database's own time, which the clocks of all machines are held against. */
export async function databaseTime(db: mongo.Db): Promise<Date> {
  const [answer] = await db
    .aggregate<{ now: Date }>([{ $documents: [{ now: '$$NOW' }] }])
    .toArray();
  if (answer === undefined) throw new Error('The database did not tell its time');
  return answer.now;
}
