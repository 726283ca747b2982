import { headerFlags, queryFlags } from './visit-flags';

describe('A prefetch request', () => {
  it.each([
    ['sec-purpose', 'prefetch'],
    ['sec-purpose', 'prefetch;prerender'],
    ['sec-purpose', 'Prefetch;anonymous-client-ip'],
    ['sec-purpose', ' PRERENDER '],
    ['purpose', 'prefetch'],
    ['purpose', 'x, prerender ;a=b'],
    ['x-moz', 'prefetch'],
    ['x-purpose', 'preview'],
  ])('is recognised by %s: %s', (name, value) => expect(headerFlags({ [name]: value })).toBe(1));

  it.each([
    ['sec-purpose', ''],
    ['sec-purpose', 'prefetched'],
    ['sec-purpose', 'x;prefetch'],
    ['sec-purpose', 'preview'],
    ['x-moz', 'prerender'],
    ['x-purpose', 'prefetch'],
    ['x-purpose', '"preview"'],
    ['purpose', 'prefetch'.repeat(2000)],
    ['purpose', ',;'.repeat(8000)],
    ['purpose', '\u00ff\u0000<script>'],
    ['user-agent', 'prefetch'],
  ])('is not recognised by %s: %s', (name, value) =>
    expect(headerFlags({ [name]: value })).toBe(0),
  );
});

describe('A visit from a QR code', () => {
  it.each(['qr=1', 'a=b&qr=1', 'qr=1&qr=0'])('has the marker in its query: %s', (query) =>
    expect(queryFlags(query)).toBe(2),
  );

  it.each(['', 'qr=10', 'qr=0', 'xqr=1', 'QR=1', 'a=qr=1', 'qr%3D1', 'qr'])(
    'does not have the marker: %s',
    (query) => expect(queryFlags(query)).toBe(0),
  );
});
