import { yourlsForm } from './yourls-response';
import { readCount, readShortUrl, toShortenError } from './yourls.service';
import { DestinationBlockedError } from '../../links/making/links.errors';

const BODY = {
  fields: { url: { title: '<b>"&🌷', ip: '' }, absent: undefined, link_1: { clicks: 0 } },
  simple: 'https://go.test/a',
};

describe('A YOURLS response', () => {
  it.each(['xml', null])('in the format %j is a document without attributes', (format) => {
    expect(yourlsForm(format, BODY)).toEqual({
      contentType: 'application/xml; charset=utf-8',
      body:
        '<?xml version="1.0" encoding="UTF-8"?>\n' +
        '<root><url><title>&lt;b&gt;"&amp;🌷</title><ip></ip></url>' +
        '<link_1><clicks>0</clicks></link_1></root>',
    });
  });

  it.each(['json', 'jsonp'])('in the format %j is JSON', (format) => {
    const { contentType, body } = yourlsForm(format, BODY);
    expect(contentType).toBe('application/json; charset=utf-8');
    expect(JSON.parse(body)).toEqual({ url: BODY.fields.url, link_1: { clicks: 0 } });
  });

  it.each(['simple', 'JSON', 'x'])('in the format %j is text', (format) => {
    const text = { contentType: 'text/plain; charset=utf-8', body: 'https://go.test/a' };
    expect(yourlsForm(format, BODY)).toEqual(text);
  });
});

describe('A YOURLS request', () => {
  it.each([
    ['abc', { alias: 'abc' }],
    ['http://go.test:8000/abc?x=1#y', { alias: 'abc', host: 'go.test' }],
    ['https://GO.test/%F0%9F%8C%B7', { alias: '🌷', host: 'go.test' }],
    ['https://go.test/%ff', { alias: '%ff', host: 'go.test' }],
    ['https://', { alias: 'https://' }],
    ['ftp://go.test/abc', { alias: 'ftp://go.test/abc' }],
  ])('reads the short URL %s', (text, expected) => {
    expect(readShortUrl(text)).toEqual(expected);
  });

  it.each([
    ['12', 12],
    ['-5', 0],
    ['abc', 0],
    ['1.5', 0],
    ['9'.repeat(400), 0],
    [null, 0],
  ])('reads the number %j as %d', (text, count) => {
    expect(readCount(text)).toBe(count);
  });
});

describe('A failed creation in YOURLS', () => {
  it('returns a spam error for a blocked destination, and a temporary error if the check took too long', () => {
    const toError = (verdict: 'blocked' | 'unfinished') =>
      toShortenError(new DestinationBlockedError(verdict), 'abc');
    expect(toError('blocked')).toMatchObject({
      status: 403,
      body: { fields: { code: 'error:spam' } },
    });
    expect(toError('unfinished')).toMatchObject({ status: 503, headers: { 'Retry-After': '5' } });
  });
});
