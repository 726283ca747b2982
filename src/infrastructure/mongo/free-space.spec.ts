import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ChildFailedError } from '../../processes/processes.errors';
import { checkFreeSpace } from './embedded-engine';

const megabytes = (count: number) => () => count * 1024 * 1024;

describe('the free space for an embedded database', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'curtail-space-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));
  const aDatabase = () => writeFileSync(join(directory, 'WiredTiger'), '');

  it('must be 520 MB for a new database, and the error message contains this size', () => {
    expect(checkFreeSpace(directory, megabytes(520))).toBeNull();
    const short = () => checkFreeSpace(directory, megabytes(519));
    expect(short).toThrow(ChildFailedError);
    expect(short).toThrow(
      `DATA_DIR="${tmpdir()}": only 519 MB are free, and a new database needs 520 MB; free space, ` +
        'set DATA_DIR to another disk, or MONGODB_URI to your own MongoDB',
    );
  });

  it('may be less for an existing database, and causes a warning', () => {
    aDatabase();
    expect(checkFreeSpace(directory, megabytes(500))).toBeNull();
    expect(checkFreeSpace(directory, megabytes(499))).toBe(
      `DATA_DIR="${tmpdir()}": only 499 MB are free: with less than 500 MB, the database ` +
        'cannot create indexes; free up space',
    );
  });

  it('is not checked if the file system does not report it', () => {
    expect(checkFreeSpace(directory, () => null)).toBeNull();
  });
});
