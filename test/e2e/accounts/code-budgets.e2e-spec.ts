import type { Connection } from 'mongoose';
import { CodeBudgetRecord, CodeBudgetSchema } from '../../../src/accounts/codes/code-budget.schema';
import { CodeRecord, CodeSchema } from '../../../src/accounts/codes/code.schema';
import {
  CodeBudgetsRepository,
  CodesRepository,
} from '../../../src/accounts/codes/codes.repository';
import { expiredDocumentsIn } from '../../support/factories/expired-documents';
import { dropTestDatabase, openTestDatabase, testDatabaseUri } from '../../support/test-database';

const HOUR = 3_600_000;
const ID = 'a'.repeat(24);

describe('The code budget of an account', () => {
  let connection: Connection;
  let budgets: CodeBudgetsRepository;
  let codes: CodesRepository;
  beforeEach(async () => {
    connection = await openTestDatabase(testDatabaseUri());
    budgets = new CodeBudgetsRepository(connection.model(CodeBudgetRecord.name, CodeBudgetSchema));
    codes = new CodesRepository(connection.model(CodeRecord.name, CodeSchema));
  });
  afterEach(() => dropTestDatabase(connection));

  const start = new Date('2026-01-01T12:00:00Z');
  const after = (ms: number) => new Date(start.getTime() + ms);
  const times = <T>(count: number, ask: (i: number) => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: count }, (_, i) => ask(i)));
  const granted = (answers: (string | boolean | null)[]) =>
    answers.filter((answer) => answer !== null && answer !== false);
  const stored = () => connection.collection('code_budgets').findOne({ _id: ID as never });

  it('allows twenty of fifty concurrent attempts, and locks the codes exactly once', async () => {
    expect(granted(await times(50, () => budgets.takeTry(ID, start)))).toHaveLength(20);
    expect((await stored())?.tries).toHaveLength(20);
    expect(granted(await times(50, () => budgets.lock(ID, start)))).toHaveLength(1);
    expect(await budgets.isLocked(ID, start)).toBe(true);
    expect(await budgets.takeTry(ID, after(24 * HOUR - 1))).toBeNull();
    expect(await budgets.takeMail(ID, 'c', after(24 * HOUR - 1))).toBe(false);
    expect(await budgets.isLocked(ID, after(24 * HOUR))).toBe(false);
    expect(await budgets.takeTry(ID, after(24 * HOUR))).not.toBeNull();
  });

  it('is not locked after fewer attempts or after correct ones', async () => {
    const taken = granted(await times(19, () => budgets.takeTry(ID, start)));
    expect(await budgets.lock(ID, start)).toBe(false);
    await budgets.giveBack(ID, String(taken[0]));
    await budgets.takeTry(ID, start);
    expect(await budgets.lock(ID, start)).toBe(false);
    expect(await budgets.isLocked(ID, start)).toBe(false);
  });

  it('allows twenty attempts in any 24 hours, not per calendar day', async () => {
    await times(10, () => budgets.takeTry(ID, start));
    await times(10, () => budgets.takeTry(ID, after(23 * HOUR)));
    expect(await budgets.takeTry(ID, after(24 * HOUR - 1))).toBeNull();
    expect(granted(await times(30, () => budgets.takeTry(ID, after(24 * HOUR))))).toHaveLength(10);
  });

  it('allows two emails an hour for one client, and a third email for another client', async () => {
    const ask = (client: string, at = start) => budgets.takeMail(ID, client, at);
    expect(granted(await times(20, () => ask('attacker')))).toHaveLength(2);
    expect(granted(await times(20, (i) => ask(`client ${i}`)))).toHaveLength(1);
    expect((await stored())?.mails).toHaveLength(3);
    expect(await ask('late', after(HOUR - 1))).toBe(false);
    expect(await ask('attacker', after(HOUR))).toBe(true);
  });

  it('does not send the reserved email to clients that have already requested one', async () => {
    expect(await budgets.takeMail(ID, 'one', start)).toBe(true);
    expect(await budgets.takeMail(ID, 'two', start)).toBe(true);
    expect(await budgets.takeMail(ID, 'one', start)).toBe(false);
    expect(await budgets.takeMail(ID, 'two', start)).toBe(false);
    expect(await budgets.takeMail(ID, 'owner', start)).toBe(true);
  });

  it('is deleted a day after its last use', async () => {
    await budgets.takeTry(ID, start);
    const expired = expiredDocumentsIn(connection);
    await expired.purge(after(24 * HOUR - 1));
    expect(await stored()).not.toBeNull();
    await expired.purge(after(24 * HOUR));
    expect(await stored()).toBeNull();
  });

  it('allows five concurrent attempts at a code per client, and fifteen in total', async () => {
    await codes.put(ID, 'reset', 'hash', after(HOUR));
    const ask = (client: string) => codes.takeTry(ID, 'reset', client, start);
    expect(granted(await times(20, () => ask('aa')))).toHaveLength(5);
    expect(granted(await times(4, () => ask('bb')))).toHaveLength(4);
    const all = await times(30, (i) => ask((0xc0 + (i % 10)).toString(16)));
    expect(granted(all)).toHaveLength(6);
    await codes.put(ID, 'reset', 'next', after(HOUR));
    expect(await ask('aa')).toBe('next');
  });
});
