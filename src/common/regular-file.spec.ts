import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closeOddFiles, ODD_FILES } from '../../test/support/shared/odd-files';
import { IrregularFileError } from './errors';
import { openRegular, openRegularSync, readRegular } from './regular-file';

describe('Opening a regular file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'curtail-regular-'));
  afterEach(closeOddFiles);
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(Object.entries(ODD_FILES))('fails without blocking for %s', async (kind, make) => {
    const path = join(folder, kind.replaceAll(' ', '-'));
    await make(path);
    expect(() => openRegularSync(path)).toThrow(IrregularFileError);
    await expect(openRegular(path)).rejects.toThrow(`${path} is not a regular file`);
  });

  it('works for a file, and keeps the error if there is none', async () => {
    const path = join(folder, 'file');
    writeFileSync(path, 'text');
    expect(await readRegular(path)).toBe('text');
    expect(() => openRegularSync(`${path}s`)).toThrow('ENOENT');
  });
});
