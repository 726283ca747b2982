import { refusedField } from '../../../test/support/shared/refused-field';
import { CreateReportsDto } from './report.dto';

const itemWith = (code_or_url: unknown = 'abc', more: object = {}) => ({
  code_or_url,
  reason: 'spam',
  ...more,
});

describe('The body of reports', () => {
  it.each<[object, string | null]>([
    [{ items: [itemWith()] }, null],
    [{ items: [itemWith('abc', { details: null, vector: null })] }, null],
    [{ items: [itemWith('abc', { details: 'x'.repeat(2000) })] }, null],
    [{ items: [itemWith()], reporter_email: ' ', reporter_org: ' ' }, null],
    [{ items: {} }, 'items'],
    [{ items: ['abc'] }, 'items'],
    [{ items: [null] }, 'items'],
    [{ items: [[]] }, 'items'],
    [{ items: [{ reason: 'spam' }] }, 'items.0.code_or_url'],
    [{ items: [itemWith('a'.repeat(2049))] }, 'items.0.code_or_url'],
    [{ items: [itemWith(), itemWith(5)] }, 'items.1.code_or_url'],
    [{ items: [{ code_or_url: 'abc' }] }, 'items.0.reason'],
    [{ items: [itemWith('abc', { reason: 'ugly' })] }, 'items.0.reason'],
    [{ items: [itemWith('abc', { details: 'x'.repeat(2001) })] }, 'items.0.details'],
    [{ items: [itemWith('abc', { details: 5 })] }, 'items.0.details'],
    [{ items: [itemWith('abc', { vector: 'pigeon' })] }, 'items.0.vector'],
    [{ items: [itemWith()], reporter_email: 'nobody' }, 'reporter_email'],
    [{ items: [itemWith()], reporter_email: ['a@b.test'] }, 'reporter_email'],
    [{ items: [itemWith()], reporter_org: 'x'.repeat(201) }, 'reporter_org'],
    [{ items: [itemWith()], reporter_emial: 'a@b.test' }, 'reporter_emial'],
  ])('%j is rejected at %s', async (body, field) => {
    expect(await refusedField(CreateReportsDto, body)).toBe(field);
  });
});
