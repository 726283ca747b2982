import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StableLink } from './stable-link';

const folder = mkdtempSync(join(tmpdir(), 'curtail-link-'));
const path = join(folder, 'stable.sock');

afterEach(() => jest.useRealTimers());
afterAll(() => rmSync(folder, { recursive: true }));

describe('StableLink', () => {
  it("points to its newest target and does not change its successor's link", () => {
    const first = new StableLink(path, '/first');
    const second = new StableLink(path, '/second');
    expect(readlinkSync(path)).toBe('/second');
    first.remove();
    expect(readlinkSync(path)).toBe('/second');
    second.remove();
    expect(readdirSync(folder)).toEqual([]);
    second.remove();
  });

  it('is restored within an hour if a cleanup program removes it', () => {
    jest.useFakeTimers();
    const link = new StableLink(path, '/target');
    rmSync(path);
    jest.advanceTimersByTime(3_600_000);
    expect(readlinkSync(path)).toBe('/target');
    link.remove();
    jest.advanceTimersByTime(3_600_000);
    expect(existsSync(path)).toBe(false);
    expect(readdirSync(folder)).toEqual([]);
  });
});
