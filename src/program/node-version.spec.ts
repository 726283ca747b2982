import { nodeVersionError } from './node-version';

describe('the check of the Node.js version', () => {
  it.each(['20.19.0', '20.20.2', '22.0.0', '24.9.0'])('accepts %s', (version) => {
    expect(nodeVersionError(version)).toBeNull();
  });

  it.each(['18.20.8', '20.9.0', '20.18.3'])('says what to do on %s', (version) => {
    expect(nodeVersionError(version)).toBe(
      `Curtail needs Node.js 20.19 or newer; this is ${version}. Install a newer one.`,
    );
  });
});
