import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jobWith } from '../../../test/support/shared/domain-values';
import type { JobState } from '../../infrastructure/jobs/job';
import { ExportSweep } from './export-sweep';

const idOf = (n: number): string => n.toString(16).padStart(24, '0');
/** States of jobs by id; a missing job has expired. */
const STATES: Readonly<Record<string, JobState>> = {
  [idOf(1)]: 'done',
  [idOf(2)]: 'running',
  [idOf(3)]: 'failed',
  [idOf(4)]: 'cancelled',
};

describe('The removal of expired exports', () => {
  const dir = mkdtempSync(join(tmpdir(), 'curtail-sweep-'));
  afterAll(() => rmSync(dir, { recursive: true }));

  it('keeps the files of finished exports, and the folders of unfinished ones', async () => {
    const ids = [1, 2, 3, 4, 5].map(idOf);
    const remove = jest.fn(() => Promise.resolve());
    const findById = (id: string) => {
      const state = STATES[id];
      return Promise.resolve(state === undefined ? null : jobWith({ id, state }));
    };
    const sweep = new ExportSweep(
      { ids: () => Promise.resolve(ids), remove } as never,
      { findById } as never,
      { dir } as never,
      {} as never,
    );
    await sweep.sweep();
    expect(existsSync(join(dir, 'exports'))).toBe(false);
    expect(remove).toHaveBeenCalledWith([3, 4, 5].map(idOf));
    for (const name of [...ids, 'other']) {
      mkdirSync(join(dir, 'exports', name), { recursive: true });
      writeFileSync(join(dir, 'exports', name, 'links.ndjson'), '{}');
    }
    await sweep.sweep();
    expect(readdirSync(join(dir, 'exports'))).toEqual([idOf(2)]);
  });
});
