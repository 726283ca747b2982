import { jobWith } from '../../test/support/shared/domain-values';
import type { Job } from '../infrastructure/jobs/job';
import { ImportUndoService } from './import-undo.service';
import { ImportStateError, UndoableChangedError } from './imports.errors';
import { undoJobId } from './running/import-undo.job';
import type { Import } from './store/import';

const IMPORT = { id: 'i', ownerId: 'o', dryRun: false } as Import;
const ENDED = jobWith({ state: 'done', finishedAt: new Date(5) });
const UNDO = jobWith({ kind: 'import_undo', input: { importId: 'i', total: 9 }, done: 4 });

describe('The undo of an import', () => {
  let undo: Job | null;
  let unfinished: number;
  let links: number;
  const countUndoable = jest.fn(() => Promise.resolve({ links, clicked: 1 }));
  const restart = jest.fn<Promise<boolean>, [string, object]>();
  const begin = jest.fn<Promise<void>, [object]>();
  const cancel = jest.fn(() => Promise.resolve(null));
  const undos = new ImportUndoService(
    { countUndoable } as never,
    {
      findById: () => Promise.resolve(undo),
      countUnfinished: () => Promise.resolve(unfinished),
    } as never,
    { restart, begin, cancel } as never,
  );

  beforeEach(() => {
    jest.clearAllMocks();
    [undo, unfinished, links] = [null, 0, 3];
    restart.mockResolvedValue(false);
  });

  it('counts the links, and those clicked after the run', async () => {
    const fields = { undo: null, undoable: 3, undoable_clicked: 1 };
    expect(await undos.read(IMPORT, ENDED)).toEqual(fields);
    expect(countUndoable).toHaveBeenCalledWith('i', new Date(5));
    undo = { ...UNDO, state: 'cancelled' };
    const outcome = { state: 'cancelled', deleted: 4, total: 9 };
    expect(await undos.read(IMPORT, ENDED)).toEqual({ ...fields, undo: outcome });
  });

  it('counts nothing while the import or its undo is unfinished', async () => {
    const none = { undoable: 0, undoable_clicked: 0 };
    expect(await undos.read(IMPORT, jobWith({ state: 'running' }))).toEqual({
      ...none,
      undo: null,
    });
    undo = UNDO;
    const progress = { state: 'running', deleted: 4, total: 9 };
    expect(await undos.read(IMPORT, ENDED)).toEqual({ ...none, undo: progress });
    expect(countUndoable).not.toHaveBeenCalled();
  });

  it('counts nothing before the first run', async () => {
    expect(await undos.read({ ...IMPORT, dryRun: true }, ENDED)).toEqual({
      undo: null,
      undoable: 0,
      undoable_clicked: 0,
    });
    expect(countUndoable).not.toHaveBeenCalled();
  });

  it('starts a job, or restarts one that has ended', async () => {
    const input = { importId: 'i', total: 3 };
    await undos.begin(IMPORT, ENDED, 3);
    const job = { id: undoJobId('i'), kind: 'import_undo', ownerId: 'o', input, total: 3 };
    expect(begin).toHaveBeenCalledWith(job);
    restart.mockResolvedValue(true);
    undo = { ...UNDO, state: 'cancelled' };
    await undos.begin(IMPORT, ENDED, 3);
    expect(restart).toHaveBeenLastCalledWith(undoJobId('i'), input);
    expect(begin).toHaveBeenCalledTimes(1);
  });

  it('is cancelled if an import started meanwhile', async () => {
    begin.mockImplementationOnce(() => {
      unfinished = 1;
      return Promise.resolve();
    });
    await expect(undos.begin(IMPORT, ENDED, 3)).rejects.toThrow(ImportStateError);
    expect(cancel).toHaveBeenCalledWith(undoJobId('i'));
  });

  it('starts only once if two requests begin it concurrently', async () => {
    begin.mockRejectedValueOnce(Object.assign(new Error(), { code: 11000 }));
    await undos.begin(IMPORT, ENDED, 3);
    expect(begin).toHaveBeenCalledTimes(1);
  });

  it.each<[string, Job['state'], number, number]>([
    ['in progress, regardless of what the client expects', 'running', 3, 8],
    ['done, and no link is left', 'done', 0, 0],
  ])('starts no job while it is %s', async (_, state, left, expected) => {
    undo = { ...UNDO, state };
    links = left;
    await undos.begin(IMPORT, ENDED, expected);
    expect(restart).not.toHaveBeenCalled();
  });

  it('is rejected if the links have changed, or during an import', async () => {
    const changed = undos.begin(IMPORT, ENDED, 2);
    await expect(changed).rejects.toThrow(UndoableChangedError);
    await expect(changed).rejects.toMatchObject({ details: { found: 3 } });
    unfinished = 1;
    await expect(undos.begin(IMPORT, ENDED, 3)).rejects.toThrow(ImportStateError);
    expect(restart).not.toHaveBeenCalled();
  });

  it('blocks other work on the import only while it is in progress', async () => {
    await undos.refuseUnfinished('i');
    undo = { ...UNDO, state: 'done' };
    await undos.refuseUnfinished('i');
    undo = { ...UNDO, state: 'queued' };
    await expect(undos.refuseUnfinished('i')).rejects.toThrow(ImportStateError);
  });
});
