import { jobWith, principalWith } from '../../test/support/shared/domain-values';
import { QuietLogger } from '../../test/support/shared/quiet-logger';
import { AuthenticationError, BadRequestError, UnprocessableError } from '../common/errors';
import type { Job } from '../infrastructure/jobs/job';
import { ImportStateError, MappingError, UnknownImportError } from './imports.errors';
import { ImportsService } from './imports.service';
import { csvStart } from './sources/csv/csv.reader';
import { DEFAULT_OPTIONS, type Import } from './store/import';
import { removeFile, removeFiles } from './store/import-files';
import { receiveUpload } from './upload';

jest.mock('./upload', () => ({ receiveUpload: jest.fn() }));
jest.mock('./sources/csv/csv.reader', () => ({ csvStart: jest.fn() }));
jest.mock('./store/import-files', () => ({ removeFile: jest.fn(), removeFiles: jest.fn() }));
jest.mock('../infrastructure/jobs/job-runner', () => ({ machineNode: () => 'node' }));

const CALLER = principalWith();
const FILE = { path: '/tmp/x', name: 'links.csv', bytes: 9, sha256: 'x' };
const CHECKED: Import = {
  id: 'i',
  ownerId: CALLER.ownerId,
  source: 'csv',
  options: DEFAULT_OPTIONS,
  file: FILE,
  baseUrl: null,
  credential: null,
  trouble: null,
  ranAt: null,
  syncedAt: null,
  visitStep: 0,
  requests: 0,
  columns: [],
  dryRun: true,
  notes: {},
  history: { clicks: 0, counted_clicks: 0, dropped_clicks: 0, links_with_history: 0 },
  proof: null,
  sameFileAs: null,
  hasClicks: false,
  toldRun: null,
  createdAt: new Date(0),
};
const RUN: Partial<Import> = { dryRun: false, options: { ...DEFAULT_OPTIONS, dry_run: false } };
const SERVICE: Partial<Import> = {
  ...{ ...RUN, source: 'kutt_api', file: null, baseUrl: 'https://kutt.test' },
  ...{ credential: Buffer.from('sealed'), ranAt: new Date(0) },
};
const proof = (differences: number) =>
  ({ proof: { rows_ok: true, links_ok: true, clicks_ok: true, differences } }) as Partial<Import>;

describe('Imports', () => {
  let stored: Import;
  let job: Job;
  let isClosed: boolean;
  const takePlace = jest.fn(() => Promise.resolve());
  const begin = jest.fn(() => Promise.resolve(jobWith()));
  const restart = jest.fn<Promise<boolean>, [string, object]>();
  const beginRun = jest.fn();
  const keepCredential = jest.fn();
  const remove = jest.fn();
  const refuseUnfinished = jest.fn<Promise<void>, [string]>();
  const cancel = jest.fn();
  const cancelUndo = jest.fn();
  const service = new ImportsService(
    {
      findById: () => Promise.resolve(stored),
      insert: (created: object) => Promise.resolve({ ...CHECKED, ...created }),
      sameFile: () => Promise.resolve(null),
      confirmPlace: jest.fn(),
      keepTrouble: jest.fn(),
      ...{ beginRun, keepCredential, remove },
    } as never,
    {} as never,
    { removeRows: () => Promise.resolve() } as never,
    {} as never,
    { findById: () => Promise.resolve(job) } as never,
    { refuseFurther: jest.fn(), refuseFullShare: jest.fn(), takePlace } as never,
    { begin, restart, cancel } as never,
    {} as never,
    { maxBytes: 1 } as never,
    { dir: '/tmp' } as never,
    {} as never,
    { seal: (_: string, credential: string) => Buffer.from(credential) } as never,
    { has: () => isClosed } as never,
    {
      toResponse: (_: Import, { kind }: Job) => ({ kind }),
      refuseUnfinished,
      cancel: cancelUndo,
    } as never,
    new QuietLogger(),
  );

  beforeEach(() => {
    jest.clearAllMocks();
    [stored, job, isClosed] = [CHECKED, jobWith({ state: 'done' }), false];
    restart.mockResolvedValue(true);
  });

  describe('from a file', () => {
    const create = (header: string[], options?: object, source = 'csv') => {
      const fields = { source, options: options && JSON.stringify(options) };
      jest.mocked(receiveUpload).mockResolvedValueOnce({ fields, file: FILE });
      const columns = header.map((name) => ({ name, examples: [] }));
      jest.mocked(csvStart).mockResolvedValueOnce(columns);
      return service.create({} as never, CALLER);
    };

    it.each<[string, string[], object]>([
      ['with a column of destinations', ['alias', 'url'], {}],
      ['with a chosen column', ['A', 'B'], { mapping: { long_url: 'B' } }],
      ['that cannot be read: the job reports it', [], {}],
    ])('are accepted %s', async (_, header, options) => {
      expect(await create(header, options)).toMatchObject({ kind: 'import' });
      expect(begin).toHaveBeenCalledTimes(1);
    });

    it.each<[string, string[], object | undefined, string, new (...args: never[]) => Error]>([
      ['without a column of destinations', ['a', 'b'], undefined, 'csv', MappingError],
      ['with an unknown column', ['url'], { mapping: { alias: 'Z' } }, 'csv', MappingError],
      ['of a service that is read through its API', [], undefined, 'kutt_api', UnprocessableError],
      ['with an unknown option', ['url'], { colour: 1 }, 'csv', UnprocessableError],
    ])('are rejected %s, and leave no file', async (_, header, options, source, error) => {
      await expect(create(header, options, source)).rejects.toThrow(error);
      expect(removeFile).toHaveBeenCalledWith(FILE);
      expect(begin).not.toHaveBeenCalled();
    });

    it('are rejected if the account was closed during the upload', async () => {
      isClosed = true;
      await expect(create(['url'])).rejects.toThrow(AuthenticationError);
      expect(removeFile).toHaveBeenCalledWith(FILE);
    });

    it('are removed again if the account already has too many imports', async () => {
      takePlace.mockRejectedValueOnce(new ImportStateError('full'));
      await expect(create(['url'])).rejects.toThrow(ImportStateError);
      expect(remove).toHaveBeenCalledTimes(1);
    });
  });

  describe('run', () => {
    const run = (traits: Partial<Import>, state: Job['state'], options?: object) => {
      stored = { ...CHECKED, ...traits };
      job = jobWith({ state });
      return service.run('i', { options } as never, CALLER);
    };

    it.each<[string, Partial<Import>, Job['state'], object]>([
      ['after their check', {}, 'done', {}],
      ['after their check, with other options', {}, 'done', { on_conflict: 'rename' }],
      ['again after they were cancelled', RUN, 'cancelled', {}],
      ['again after they failed', { ...RUN, ...proof(2) }, 'failed', {}],
      ['with recorded clicks', { ...RUN, hasClicks: true }, 'failed', { history: 'all' }],
    ])('%s', async (_, traits, state, options) => {
      await run(traits, state, options);
      expect(beginRun).toHaveBeenCalledWith('i', expect.objectContaining(options));
      expect(restart).toHaveBeenCalledWith('i', { run: true });
    });

    it.each<[string, Partial<Import>, Job['state'], object | undefined, RegExp]>([
      ['during their check', {}, 'running', undefined, /still in progress/],
      ['after a check that failed', {}, 'failed', undefined, /start a new import/],
      ['during their run', RUN, 'waiting', undefined, /still in progress/],
      ['twice', RUN, 'done', undefined, /already finished/],
      [
        'again if their clicks arrived',
        { ...RUN, ...proof(0) },
        'failed',
        undefined,
        /already finished/,
      ],
      [
        'without the clicks that are recorded',
        { ...RUN, hasClicks: true },
        'failed',
        { history: 'counts' },
        /`history` must stay/,
      ],
    ])('never %s', async (_, traits, state, options, message) => {
      await expect(run(traits, state, options)).rejects.toThrow(ImportStateError);
      await expect(run(traits, state, options)).rejects.toThrow(message);
      expect(beginRun).not.toHaveBeenCalled();
    });

    it('never during an undo', async () => {
      refuseUnfinished.mockRejectedValueOnce(new ImportStateError('undo'));
      await expect(run({}, 'done')).rejects.toThrow(ImportStateError);
      expect(beginRun).not.toHaveBeenCalled();
    });

    it('is cancelled if an undo started meanwhile', async () => {
      refuseUnfinished.mockResolvedValueOnce(undefined);
      refuseUnfinished.mockImplementationOnce(async (_: string, end?: () => Promise<unknown>) => {
        await end?.();
        throw new ImportStateError('undo');
      });
      await expect(run({}, 'done')).rejects.toThrow(ImportStateError);
      expect(cancel).toHaveBeenCalledWith('i');
    });

    it('once if two requests begin it concurrently', async () => {
      restart.mockResolvedValueOnce(false);
      await expect(run({}, 'done')).rejects.toThrow(ImportStateError);
    });
  });

  describe('from a service', () => {
    const sync = (traits: Partial<Import>, from: Partial<Job> = {}, body: object = {}) => {
      stored = { ...CHECKED, ...SERVICE, ...traits };
      job = jobWith({ state: 'done', ...from });
      return service.sync('i', body, CALLER);
    };
    const VISITS = { stage: 'linkVisits' };

    it.each<[string, Partial<Job>, object]>([
      ['from the beginning', {}, {}],
      [
        'from the visits where they were cut off',
        { state: 'failed', cursor: VISITS },
        { from: VISITS },
      ],
      ['from the beginning after a finished run', { cursor: VISITS }, {}],
      [
        'from the beginning if the links were cut off',
        { state: 'failed', cursor: { stage: 'links' } },
        {},
      ],
    ])('can be read again %s', async (_, from, input) => {
      await sync({}, from);
      expect(restart).toHaveBeenCalledWith('i', { run: true, sync: true, ...input });
    });

    it('are read with a new credential if one is sent', async () => {
      await sync({ credential: null }, {}, { credential: ' key ' });
      expect(keepCredential).toHaveBeenCalledWith('i', Buffer.from('key'));
    });

    it.each<[string, Partial<Import>, Partial<Job>, object, new (...args: never[]) => Error]>([
      ['if they are files', { file: FILE }, {}, {}, BadRequestError],
      ['before a run has ended', { ranAt: null }, {}, {}, ImportStateError],
      ['during a run', {}, { state: 'queued' }, {}, ImportStateError],
      ['without a credential', { credential: null }, {}, {}, UnprocessableError],
      [
        'with a credential that no header can carry',
        {},
        {},
        { credential: 'ä' },
        UnprocessableError,
      ],
    ])('cannot be read again %s', async (_, traits, from, body, error) => {
      await expect(sync(traits, from, body)).rejects.toThrow(error);
      expect(restart).not.toHaveBeenCalled();
    });
  });

  it('are unknown if they belong to another account', async () => {
    stored = { ...CHECKED, ownerId: 'other' };
    const calls = [
      () => service.show('i', CALLER),
      () => service.run('i', {}, CALLER),
      () => service.sync('i', {}, CALLER),
      () => service.undo('i', { expected: 0 }, CALLER),
      () => service.cancel('i', CALLER),
      () => service.remove('i', CALLER),
      () => service.report('i', CALLER),
      () => service.rows('i', {} as never, CALLER),
    ];
    for (const call of calls) await expect(call()).rejects.toThrow(UnknownImportError);
  });

  it('are removed with their files', async () => {
    await service.remove('i', CALLER);
    expect(remove).toHaveBeenCalledWith('i');
    expect(cancelUndo).toHaveBeenCalledWith('i');
    expect(removeFiles).toHaveBeenCalledWith(CHECKED, '/tmp/imports');
  });
});
