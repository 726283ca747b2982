import { isEnoughGlibc, runningGlibc } from './glibc';

describe('isEnoughGlibc', () => {
  it.each(['2.38', '2.41', '2.100', '3.0'])('accepts %s', (version) => {
    expect(isEnoughGlibc(version)).toBe(true);
  });

  it.each(['2.36', '2.4', '1.99', '', 'unknown'])('rejects %j', (version) => {
    expect(isEnoughGlibc(version)).toBe(false);
  });
});

describe('runningGlibc', () => {
  it("finds this system's version, or reports that there is none", () => {
    const version = runningGlibc();
    if (process.platform === 'linux') expect(version).toMatch(/^\d+\.\d+$/);
    else expect(version).toBeNull();
  });
});
