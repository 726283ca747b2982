import { createPino, PinoLog } from './pino-log';
import { prettyLine } from './pretty-lines';

const TIME = '2026-11-22T03:04:05.678Z';
const line = (fields: object, colours = false) =>
  prettyLine(
    JSON.stringify({ level: 'info', time: TIME, pid: 7, msg: 'Ready', ...fields }),
    colours,
  );

describe('a log line for people', () => {
  it('has the time, level, message and details, and nothing for programs', () => {
    expect(line({ data: '/var/lib/x', database: 'embedded, in x', count: 3, none: null })).toBe(
      '2026-11-22T03:04:05Z INFO  Ready data=/var/lib/x database="embedded, in x" count=3 none=null\n',
    );
  });

  it('highlights problems if the terminal supports colours', () => {
    expect(line({ level: 'warn' }, true)).toContain('\u001b[33mWARN \u001b[39m');
    expect(line({ level: 'error' }, true)).toContain('\u001b[31mERROR\u001b[39m');
    expect(line({ level: 'warn' })).not.toContain('\u001b');
  });

  it('shows the source of an error on an indented line', () => {
    const text = line({
      level: 'error',
      err: { message: 'no', stack: 'Error: no\n    at f (x:1)' },
    });
    expect(text.split('\n')).toEqual([
      '2026-11-22T03:04:05Z ERROR Ready',
      '    Error: no',
      '    at f (x:1)',
      '',
    ]);
    expect(line({ err: 'thrown text' })).toContain('\n    thrown text\n');
  });

  it('shows control characters as visible text', () => {
    const hostile = 'a\u001b[2Jb\nINFO c\u009b31m\u202ed';
    const text = line({ msg: hostile, url: hostile, err: { stack: hostile } });
    // The only line breaks are those after the first line and after the stack's two lines.
    expect(text.match(/\n/g)).toHaveLength(3);
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(text).toContain('a\\u001b[2Jb\\u000aINFO c\\u009b31m\\u202ed');
  });
});

describe('the log', () => {
  function logged(format: 'json' | 'pretty', write: (log: PinoLog) => void): string {
    let text = '';
    const pino = createPino({ level: 'info', format }, { write: (each) => (text += each) });
    write(new PinoLog(pino));
    return text;
  }

  it('is JSON with ISO times and level names, with secrets redacted', () => {
    const text = logged('json', (log) => log.warn('x', { token: 'geheim', at: { password: 'g' } }));
    expect(JSON.parse(text)).toEqual({
      level: 'warn',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      pid: process.pid,
      token: '[redacted]',
      at: { password: '[redacted]' },
      msg: 'x',
    });
  });

  it('redacts secrets for people too, and omits entries below the configured level', () => {
    const text = logged('pretty', (log) => {
      log.debug('hidden');
      log.info('x', { token: 'geheim' });
    });
    expect(text).toMatch(/^\S+Z INFO {2}x token=\[redacted\]\n$/);
  });
});
