import { refuseFullDisk } from './disk-space';
import { DiskReserveError } from '../../common/errors';

const GIB = 1024 ** 3;

describe('free disk space', () => {
  const refused = (size: number, free: number, bytes = 0) =>
    refuseFullDisk('/data', bytes, () => Promise.resolve({ size, free })).then(
      () => false,
      (error: unknown) => error instanceof DiskReserveError && error.status === 507,
    );

  it("reserves twice the journal's reserve when callers store files", async () => {
    expect(await refused(10 * GIB, 2 * GIB)).toBe(false);
    expect(await refused(10 * GIB, 2 * GIB, 1)).toBe(true);
    expect(await refused(1000 * GIB, 4 * GIB)).toBe(false);
    expect(await refused(1000 * GIB, 4 * GIB - 1)).toBe(true);
  });

  it('has no reserve on a disk that does not report its size', async () => {
    expect(await refused(0, 0, GIB)).toBe(false);
  });
});
