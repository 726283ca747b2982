import type { Domain } from '../stores/domains/domain';
import { DomainRechecks } from './domain-check.service';

describe('The regular check of due domains', () => {
  it.each<[string, Partial<Domain>, number, string[]]>([
    ['an active domain is checked', { status: 'active' }, 0, ['check']],
    ['a domain that was never active is removed', { lastVerifiedAt: null }, 0, ['removeUnproved']],
    ['a pending domain that was active is revoked', {}, 0, ['revoke', 'tellChange']],
    ['a disowned domain with links is kept', { status: 'revoked' }, 1, []],
    [
      'a disowned domain without links is removed',
      { status: 'revoked' },
      0,
      ['removeRevoked', 'tellRemoval'],
    ],
  ])('%s', async (_, traits, links, expected) => {
    const domain = { id: 'd', status: 'pending', lastVerifiedAt: new Date(0), ...traits };
    const due = [domain];
    const steps: string[] = [];
    const step = (name: string, result: unknown = true) => ({
      [name]: () => {
        steps.push(name);
        return Promise.resolve(result);
      },
    });
    let look = (): Promise<void> => Promise.resolve();
    const rechecks = new DomainRechecks(
      {
        takeDue: () => Promise.resolve(due.shift() ?? null),
        ...{ ...step('removeUnproved'), ...step('revoke', domain), ...step('removeRevoked') },
      } as never,
      { ...step('tellChange'), ...step('tellRemoval') } as never,
      step('check') as never,
      { countIn: () => Promise.resolve(links) } as never,
      { recheck: { everyMs: 1000, graceMs: 1000 } } as never,
      { repeat: ({ run }: { run: () => Promise<void> }) => (look = run) } as never,
    );
    rechecks.onApplicationBootstrap();
    await look();
    expect(steps).toEqual(expected);
  });
});
