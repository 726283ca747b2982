import { inspect } from 'node:util';

const DIM = ['\u001b[2m', '\u001b[22m'] as const;
const RED = ['\u001b[31m', '\u001b[39m'] as const;
const YELLOW = ['\u001b[33m', '\u001b[39m'] as const;
const NO_COLOUR = ['', ''] as const;
type Style = readonly [string, string];

const LEVEL_STYLES: Readonly<Record<string, Style>> = {
  fatal: RED,
  error: RED,
  warn: YELLOW,
  debug: DIM,
  trace: DIM,
};
const LEFT_OUT: ReadonlySet<string> = new Set(['level', 'time', 'pid', 'msg', 'err', 'stack']);

/** Formats a JSON log line for a terminal; escapes control characters, which clients may send. */
export function prettyLine(json: string, colours: boolean): string {
  const fields = JSON.parse(json) as Record<string, unknown>;
  const { level, time, msg } = fields;
  const paint = ([begin, end]: Style, text: string) => (colours ? begin + text + end : text);
  const name = String(level);
  const label = name.toUpperCase().padEnd(5);
  const details = Object.entries(fields)
    .filter(([field]) => !LEFT_OUT.has(field))
    .map(([field, value]) => `${field}=${detail(value)}`);
  const head = [
    paint(DIM, String(time).replace(/\.\d+Z$/, 'Z')),
    paint(LEVEL_STYLES[name] ?? NO_COLOUR, label),
    visible(String(msg)),
    ...(details.length === 0 ? [] : [paint(DIM, details.join(' '))]),
  ];
  const origin = errorLines(fields).map((line) => paint(DIM, `    ${visible(line)}`));
  return `${[head.join(' '), ...origin].join('\n')}\n`;
}

function detail(value: unknown): string {
  if (typeof value === 'string' && /^[^\s"=]+$/.test(value)) return visible(value);
  return visible(JSON.stringify(value));
}

function errorLines({ err, stack }: Record<string, unknown>): string[] {
  const text = typeof err === 'object' && err !== null && 'stack' in err ? err.stack : stack;
  if (typeof text === 'string') return text.split('\n').map((line) => line.trim());
  return err === undefined ? [] : [typeof err === 'string' ? err : inspect(err)];
}

function visible(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
