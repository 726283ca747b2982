import { checkDestination } from './destination';
import { DestinationError } from './links.errors';

const accepted = (text: string, baseUrl = 'https://go.example.com'): boolean => {
  try {
    checkDestination(text, { baseUrl });
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(DestinationError);
    return false;
  }
};

describe('a destination', () => {
  it.each([
    'https://example.com',
    'HTTP://EXAMPLE.COM/Path?q=1#f',
    'http://192.168.0.1/admin',
    'http://[::1]:3000/',
    'http://intranet/wiki',
    'https://example.com/ünïcode',
    'https://user:secret@example.com/',
    'https://go.example.com:8443/other-service',
    'https://example.com.go.example.com.evil.test/',
  ])('may be %s', (text) => {
    expect(accepted(text)).toBe(true);
  });

  it.each([
    'ftp://example.com',
    'javascript:alert(1)',
    'https://',
    'https:///path',
    'https://exa mple.com',
    'https://example.com/a b',
    'https://example.com/\u0000',
    'https://example.com/\n',
    ' https://example.com',
    'https://example.com:99999',
    '//example.com',
    'https://[::1',
    'https://example.com/\ud800',
  ])('may not be %p', (text) => {
    expect(accepted(text)).toBe(false);
  });

  it.each([
    'https://go.example.com/x',
    'https://GO.example.com:443/',
    'https://go.example.com./',
    'http://a.go.example.com/',
  ])('may not lead back to this service: %s', (text) => {
    expect(accepted(text)).toBe(false);
  });

  it('is judged by the port alone where the service runs on localhost', () => {
    expect(accepted('http://localhost:8000/x', 'http://localhost:8000')).toBe(false);
    expect(accepted('http://app.localhost:8000/x', 'http://localhost:8000')).toBe(false);
    expect(accepted('http://localhost:3000/x', 'http://localhost:8000')).toBe(true);
    expect(accepted('http://app.localhost:3000/x', 'http://localhost:8000')).toBe(true);
  });
});
