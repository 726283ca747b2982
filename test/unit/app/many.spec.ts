import { batchesOf, type Outcome, sendBatches } from '../../../web/screens/many/batches';
import {
  correctionText,
  exampleFile,
  type LinkInput,
  linesOfFile,
  linesOfText,
  problemFile,
} from '../../../web/screens/many/lines';

const SITE = 'https://go.example';
const NOW = Date.parse('2026-11-25T12:00:00Z');
const ofText = (text: string) => linesOfText(text, SITE, NOW);
const ofFile = (text: string) => linesOfFile(text, SITE, NOW);
const [URL_A, URL_B] = ['https://a.example/', 'https://b.example/'];

describe('many links before submission', () => {
  it('have an address in each pasted line, and cells in spreadsheet rows', () => {
    const { lines } = ofText(`${URL_A}?q=1,2;3\n\n  b.example/page  \r\n`);
    expect(lines.map(({ number, input, problems }) => [number, input, problems])).toEqual([
      [1, { long_url: `${URL_A}?q=1,2;3` }, []],
      [3, { long_url: 'https://b.example/page' }, []],
    ]);
    for (const sign of ['\t', ',', ';']) {
      const { lines: rows } = ofText(`\nurl${sign}title\n${URL_A}${sign}Spring`);
      expect(rows[0]?.input).toEqual({ long_url: URL_A, title: 'Spring' });
    }
  });

  it('can be read from the example file with all its columns', async () => {
    const { lines, unused, header } = ofFile(await exampleFile().content.text());
    expect([unused, header?.length]).toEqual([[], 10]);
    expect(lines.map(({ problems }) => problems)).toEqual([[], []]);
    expect(lines[0]?.input).toMatchObject({
      long_url: 'https://example.com/spring',
      tags: ['spring', 'email'],
      max_clicks: 500,
      block_bots: false,
      private_stats: true,
    });
    expect(lines[0]?.input.expire_after).toBeGreaterThan(NOW / 1000);
  });

  it.each([
    ['addresses', `no address "x"\n${URL_A}`, `no address "x"`],
    ['cells', `url\talias\nnonsense\tab\n${URL_A}\tfine-1`, 'url\talias\nnonsense\tab'],
    ['a file', `url;note\n"two;\n""x""";hi\n${URL_A};`, 'url\tnote\n"two;\n""x"""\thi'],
  ])('return to the text field if lines of %s are rejected', async (_, text, wanted) => {
    const { header, lines } = text.includes(';') ? ofFile(text) : ofText(text);
    const bad = lines.filter(({ problems }) => problems.length > 0);
    const rejected = bad.map((line) => ({ line, problems: line.problems }));
    const correction = correctionText(header, rejected);
    expect(correction).toBe(wanted);
    expect(ofText(correction).lines.map(({ input }) => input)).toEqual(
      bad.map(({ input }) => input),
    );
    const file = await problemFile(header, rejected).content.text();
    for (const problem of bad.flatMap(({ problems }) => problems)) expect(file).toContain(problem);
  });

  it('show all problems of a line', () => {
    const [line] = ofFile('url,alias,max_clicks,expire_after\nnonsense,a b,-1,never').lines;
    expect(line?.problems).toHaveLength(4);
  });

  it('use all columns of a file as fields of the API', () => {
    const { lines, unused } = ofFile(
      [
        'Destination;Alias;Title;Note;Tags;Expire after;max-clicks;password;block_bots;PRIVATE_STATS;Owner',
        `${URL_A};spring-1;Sale;"two\nlines";spring, mail |new  ones;2030-01-01T00:00:00Z;5;blue.sky7;yes;0;me`,
        `${URL_B};;;;;1893456000;;;;;`,
      ].join('\n'),
    );
    expect(lines.map(({ input }) => input)).toEqual([
      {
        long_url: URL_A,
        alias: 'spring-1',
        title: 'Sale',
        note: 'two\nlines',
        tags: ['spring', 'mail', 'new ones'],
        expire_after: 1893456000,
        max_clicks: 5,
        password: 'blue.sky7',
        block_bots: true,
        private_stats: false,
      },
      { long_url: URL_B, expire_after: 1893456000 },
    ]);
    expect(lines.flatMap(({ problems }) => problems)).toEqual([]);
    expect(unused).toEqual(['Owner']);
  });

  it('use a column with domains, and find duplicate aliases only on the same domain', () => {
    const { lines } = ofFile(
      [
        'url,domain,alias',
        `${URL_A},,sale`,
        `${URL_A},Links.example.com,sale`,
        `${URL_A},default,sale`,
        `${URL_A},GO.example,sale`,
      ].join('\n'),
    );
    expect(lines.map(({ input }) => input.domain)).toEqual([
      undefined,
      'Links.example.com',
      null,
      null,
    ]);
    expect(lines.map(({ problems }) => problems.length)).toEqual([0, 0, 0, 1]);
  });

  it('use only the first column without a header row, and report the others', () => {
    const { lines, unused } = ofFile(`${URL_A},x\n${URL_B},y`);
    expect(lines.map(({ input }) => input)).toEqual([{ long_url: URL_A }, { long_url: URL_B }]);
    expect(unused).toEqual(['column 2']);
  });

  it.each([
    ['no destination', ',x', /Enter or paste/],
    ['no address', 'nonsense,x', /not a web address/],
    ['another scheme', 'ftp://a.example,x', /http/],
    ['this service', `${SITE}/x,x`, /back to this service/],
    ['a short alias', `${URL_A},ab`, /3 to 16/],
    ['a long alias', `${URL_A},${'a'.repeat(17)}`, /at most 16/],
    ['signs in an alias', `${URL_A},a b c`, /only letters/],
    ['a past time', `${URL_A},,2020-01-01`, /past/],
    ['no time', `${URL_A},,soon`, /not a valid date/],
    ['no clicks', `${URL_A},,,0`, /whole number/],
    ['half a click', `${URL_A},,,1.5`, /whole number/],
    ['a simple password', `${URL_A},,,,simple`, /password/],
    ['neither yes nor no', `${URL_A},,,,,maybe`, /yes or no/],
    ['a long title', `${URL_A},,,,,,${'t'.repeat(201)}`, /at most 200/],
    ['a title that turns', `${URL_A},,,,,,a\u202eb`, /cannot be shown/],
    ['a title of lines', `${URL_A},,,,,,"a\nb"`, /cannot be shown/],
    ['a long note', `${URL_A},,,,,,,${'n'.repeat(2001)}`, /at most 2,000/],
    ['a long tag', `${URL_A},,,,,,,,${'t'.repeat(41)}`, /at most 40/],
    ['a tag that is none', `${URL_A},,,,,,,,(None)`, /without tags/],
    [
      'many tags',
      `${URL_A},,,,,,,,${Array.from({ length: 21 }, (_, i) => i).join('|')}`,
      /at most 20 tags/,
    ],
    ['an open quote', `${URL_A},,,,,,"a`, /not closed/],
  ])('have problems: %s', (_, line, said) => {
    const header = 'url,alias,expire_after,max_clicks,password,block_bots,title,note,tags';
    const [read] = ofFile(`${header}\n${line}`).lines;
    expect(read?.problems.join(' ')).toMatch(said);
  });

  it('must have different aliases, case-sensitively', () => {
    const { lines } = ofFile(`url,alias\n${URL_A},one\n${URL_B},One\n${URL_B},one`);
    expect(lines.map(({ problems }) => problems.length)).toEqual([0, 0, 1]);
    expect(lines[2]?.problems[0]).toContain('Line 2');
  });

  const linesFor = (inputs: readonly LinkInput[]) =>
    inputs.map((input, i) => ({ number: i + 1, input, problems: [], cells: [] }));
  const inputs = (count: number, password?: (i: number) => string): LinkInput[] =>
    Array.from({ length: count }, (_, i) => ({
      long_url: `${URL_A}${i}`,
      ...(password && { password: password(i) }),
    }));

  it('are sent in batches of at most 100 lines or ten passwords, with the same keys again', () => {
    const sizes = (of: LinkInput[]) =>
      batchesOf('run', linesFor(of)).map(({ lines }) => lines.length);
    expect(sizes(inputs(250))).toEqual([100, 100, 50]);
    expect(sizes(inputs(25, (i) => `blue.sky${i}`))).toEqual([10, 10, 5]);
    expect(sizes(inputs(25, (i) => `blue.sky${i % 10}`))).toEqual([25]);
    expect(sizes([])).toEqual([]);
    const keys = () => batchesOf('run', linesFor(inputs(250))).map(({ key }) => key);
    expect(new Set(keys()).size).toBe(3);
    expect(keys()).toEqual(keys());
  });

  it('are sent again after a failure if they have no response, with the same keys', async () => {
    const sent: string[] = [];
    let all = batchesOf('run', linesFor(inputs(250)));
    const attempt = (isBroken: (key: string) => boolean) =>
      sendBatches(
        all,
        ({ key, lines }) => {
          sent.push(key);
          if (isBroken(key)) return Promise.reject(new Error('away'));
          return Promise.resolve(lines.map((): Outcome => ({ shortUrl: key })));
        },
        (batches) => (all = batches),
      );
    await expect(attempt((key) => key === 'run-1')).rejects.toThrow('away');
    await attempt(() => false);
    expect(sent).toEqual(['run-0', 'run-1', 'run-1', 'run-2']);
    expect(all.flatMap(({ outcomes }) => outcomes ?? [])).toHaveLength(250);
  });
});
