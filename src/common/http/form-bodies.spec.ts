import type { Request } from 'express';
import { parseMultipart, parseUrlEncoded } from './form-bodies';

const NOT_UTF8 = { status: 422, message: 'input: the body must be UTF-8' };

/** @param form text with one character for each byte */
const parse = (form: string, charset = ''): unknown =>
  parseUrlEncoded(Buffer.from(form, 'latin1'), {
    headers: { 'content-type': `application/x-www-form-urlencoded${charset}` },
  } as Request);

function refusal(form: string, charset?: string): unknown {
  try {
    parse(form, charset);
  } catch (error) {
    return error;
  }
  return undefined;
}

describe('a url-encoded form', () => {
  it.each([
    ['a=1&b=2', { a: '1', b: '2' }],
    ['a=1&a=2&a=3', { a: ['1', '2', '3'] }],
    ['&&a=&b&=c&', { a: '', b: '', '': 'c' }],
    ['a=b=c', { a: 'b=c' }],
    ['a+b=c+d%2B', { 'a b': 'c d+' }],
    ['a=100%&b=%zz&c=%4', { a: '100%', b: '%zz', c: '%4' }],
    ['a=caf%C3%A9&b=caf\xc3\xa9&c=%c3\xa9', { a: 'café', b: 'café', c: 'é' }],
    ['__proto__=1&constructor=2', { ['__proto__']: '1', constructor: '2' }],
    ['', {}],
  ])('is read: %s', (form, fields) => expect({ ...(parse(form) as object) }).toEqual(fields));

  it.each(['a=caf%E9', 'a=caf\xe9', 'caf%e9=1', 'a=%C3&b=%A9', 'a=1&b=%ED%A0%80', 'a=%C0%AF'])(
    'is rejected if it is not valid UTF-8: %s',
    (form) => expect(refusal(form)).toMatchObject(NOT_UTF8),
  );

  it('may declare ISO-8859-1, and no other charset', () => {
    expect(parse('a=caf%E9', '; charset=ISO-8859-1')).toEqual({ a: 'café' });
    expect(refusal('a=1', '; charset=utf-16')).toMatchObject(NOT_UTF8);
  });

  it('has at most a hundred fields', () => {
    expect(
      Object.keys(parse(Array.from({ length: 100 }, (_, n) => `f${n}=`).join('&')) as object),
    ).toHaveLength(100);
    expect(refusal('a&'.repeat(101))).toMatchObject({ status: 413 });
  });
});

describe('a multipart form', () => {
  const part = (name: string, value: string): string =>
    `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const parseParts = (...parts: string[]): Promise<unknown> => {
    const bytes = Buffer.from(`${parts.join('')}--x--\r\n`, 'latin1');
    const headers = {
      'content-type': 'multipart/form-data; boundary=x',
      'content-length': `${bytes.length}`,
    };
    return parseMultipart(bytes, { headers } as Request);
  };

  it('is read', async () => {
    expect({ ...((await parseParts(part('a', 'caf\xc3\xa9'), part('b', '2'))) as object) }).toEqual(
      {
        a: 'café',
        b: '2',
      },
    );
  });

  it('is rejected if it is not valid UTF-8', async () => {
    await expect(parseParts(part('a', 'caf\xe9'))).rejects.toMatchObject(NOT_UTF8);
  });

  it('is rejected if it contains a file, a field that is too long, or a syntax error', async () => {
    const file =
      '--x\r\nContent-Disposition: form-data; name="f"; filename="f.txt"\r\n\r\ntext\r\n';
    await expect(parseParts(file)).rejects.toMatchObject({ status: 400 });
    await expect(parseParts(part('a', 'x'.repeat(70_000)))).rejects.toMatchObject({ status: 413 });
    await expect(parseParts('--x\r\nContent-Disp')).rejects.toMatchObject({ status: 400 });
  });
});
