import { location } from './redirect-response';

describe('the Location header', () => {
  it('is the destination unchanged where a header can carry it', () => {
    const url = "https://example.com/a%20b?q='x'&y=[1]#{frag}|\\";
    expect(location(url)).toBe(url);
  });

  it('percent-encodes other characters as browsers do', () => {
    expect(location('https://example.com/ü/🚀?q=%C3%BC')).toBe(
      'https://example.com/%C3%BC/%F0%9F%9A%80?q=%C3%BC',
    );
  });
});
