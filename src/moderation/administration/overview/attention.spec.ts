import { ATTENTION_KINDS, findAttention, type ServiceState } from './attention';

const NOW = new Date('2030-01-31T00:00:00Z');
const GIB = 1024 ** 3;
const CALM: ServiceState = {
  now: NOW,
  disk: { size: 100 * GIB, free: 50 * GIB },
  lastBackup: { at: new Date('2030-01-30T00:00:00Z') },
  reports: 0,
  failedMails: 0,
  failedJobs: 0,
  quarantined: 0,
  unreadable: 0,
  usesOutbox: false,
  databaseVersion: '8.0.4-5',
};

describe('The list of urgent matters', () => {
  it.each<[string, Partial<ServiceState>, [string, number | null][]]>([
    ['is empty', {}, []],
    ['warns without any backup', { lastBackup: { at: null } }, [['backup', null]]],
    [
      'warns of a backup that is 7 days old',
      { lastBackup: { at: new Date('2030-01-24T00:00:00Z') } },
      [['backup', 7]],
    ],
    ['accepts one that is younger', { lastBackup: { at: new Date('2030-01-24T00:00:01Z') } }, []],
    [
      'warns of a large disk at 6 GiB',
      { disk: { size: 99 * GIB, free: 5 * GIB } },
      [['disk', 5 * GIB]],
    ],
    ['accepts more', { disk: { size: 99 * GIB, free: 6 * GIB } }, []],
    ['warns of a small disk at 30%', { disk: { size: 100, free: 29 } }, [['disk', 29]]],
    ['warns of a full disk', { disk: { size: 100, free: 0 } }, [['disk', 0]]],
    ['ignores a disk of unknown size', { disk: { size: 0, free: 0 } }, []],
    ['counts reports', { reports: 3 }, [['reports', 3]]],
    ['counts failed emails', { failedMails: 2 }, [['mail_failed', 2]]],
    ['counts failed jobs', { failedJobs: 1 }, [['jobs_failed', 1]]],
    ['counts journal files', { quarantined: 1 }, [['quarantined', 1]]],
    ['counts lines of blocklists', { unreadable: 4 }, [['unreadable', 4]]],
    ['warns of the outbox', { usesOutbox: true }, [['outbox', null]]],
    [
      'warns of the alpha database',
      { databaseVersion: '9.0.0-alpha0' },
      [['alpha_database', null]],
    ],
    [
      'ignores unknown figures',
      {
        ...{ disk: null, lastBackup: null, reports: null },
        ...{ failedMails: null, failedJobs: null, quarantined: null },
        databaseVersion: null,
      },
      [],
    ],
  ])('%s', (_, changes, expected) => {
    const found = findAttention({ ...CALM, ...changes });
    expect(found.map(({ kind, count }) => [kind, count])).toEqual(expected);
  });

  it('begins with the most urgent', () => {
    const found = findAttention({
      ...{ now: NOW, disk: { size: 100, free: 1 }, lastBackup: { at: null } },
      ...{ reports: 1, failedMails: 1, failedJobs: 1, quarantined: 1, unreadable: 1 },
      ...{ usesOutbox: true, databaseVersion: '9.0.0-alpha0' },
    });
    expect(found.map(({ kind }) => kind)).toEqual([...ATTENTION_KINDS]);
  });
});
