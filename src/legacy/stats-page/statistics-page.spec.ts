import { readPageQuery } from './page-query';
import { statisticsPage } from './statistics-page';
import type { StatisticsView } from './statistics-view';

const NO_MORE = { values: 0, clicks: 0 };
const NOW = Date.parse('2026-11-21T12:00:00Z');
const NOTHING_TYPED = { range: null, from: null, to: null, timezone: null, audience: null };

const query = (typed: Partial<Record<keyof typeof NOTHING_TYPED, string>> = {}) =>
  readPageQuery({ ...NOTHING_TYPED, ...typed }, NOW);

function aView(changes: Partial<StatisticsView> = {}): StatisticsView {
  return {
    viewer: null,
    isPrivate: false,
    alias: 'abc',
    shortUrl: 'http://localhost:8000/abc',
    destination: 'https://example.com/',
    query: query(),
    period: '2026-11-20 – 2026-11-21, time zone UTC',
    totals: [{ name: 'Clicks', value: '3' }],
    otherClasses: null,
    series: {
      buckets: 'daily',
      rows: [
        { label: '2026-11-20', clicks: 1, visitors: 1 },
        { label: '2026-11-21', clicks: 2, visitors: 1 },
      ],
    },
    lists: [
      { title: 'Browsers', rows: [{ label: 'Chrome', clicks: 3, visitors: 2 }], cut: NO_MORE },
    ],
    hasCampaigns: true,
    clicks: 3,
    allClicks: 3,
    facts: [{ name: 'Created', value: '2026-11-20 10:00 UTC' }],
    showsPlaceSource: true,
    ...changes,
  };
}

const aRow = (label: string, clicks = 1) => ({ label, clicks, visitors: 1 });

describe('the statistics page', () => {
  it('draws one labelled column per day, an axis, and the same data as a table', () => {
    const markup = statisticsPage(aView());
    const plot = markup.split('class="plot"')[1]?.split('</svg>')[0] ?? '';
    expect(plot.match(/<rect x=/g)).toHaveLength(2);
    expect(plot).toContain('<title>Sat, 21 Nov 2026: 2 clicks</title>');
    expect(plot.match(/class="value"/g)).toHaveLength(2);
    expect(plot).toContain('>21 Nov</text>');
    const scale = markup.split('class="scale"')[1]?.split('</svg>')[0] ?? '';
    expect(scale.match(/>(\d+)<\/text>/g)).toEqual(['>0</text>', '>1</text>', '>2</text>']);
    expect(markup).toMatch(/<th scope="row">Sat, 21 Nov 2026<\/th>\s*<td class="number">2<\/td>/);
  });

  it('says that the link has no clicks, and offers no files', () => {
    const markup = statisticsPage(aView({ clicks: 0, allClicks: 0 }));
    expect(markup).toContain('No clicks yet.');
    expect(markup).not.toMatch(/class="plot"|class="bars"|\/download/);
  });

  it('says that a range or an audience has no clicks, and links to all clicks', () => {
    const asked = query({ range: '7d', audience: 'bot' });
    const markup = statisticsPage(aView({ query: asked, clicks: 0, allClicks: 1200 }));
    expect(markup).toContain('No clicks by bots in this range.');
    expect(markup).toMatch(/href="\/stats\/abc\?audience=all"\s*>Show all 1,200 clicks</);
  });

  it('links to each range and audience, keeps other parameters, and marks the selection', () => {
    const markup = statisticsPage(aView({ query: query({ range: '30d', audience: 'bot' }) }));
    expect(markup).toContain('href="/stats/abc?range=7d&amp;audience=bot"');
    expect(markup).toContain('href="/stats/abc?range=30d&amp;audience=preview"');
    expect(markup).toContain('href="/stats/abc?range=30d&amp;audience=all"');
    expect(markup).toContain('href="/stats/abc?range=30d"');
    expect(markup.match(/aria-current="true"\s*>(30 days|Bots)</g)).toHaveLength(2);
    expect(markup).toContain('/stats/abc/download?range=30d&amp;audience=bot&amp;format=xlsx');
  });

  it('keeps two dates and their time zone in the form and in all links', () => {
    const typed = { from: '2026-11-01', to: '2026-11-20', timezone: 'Europe/Berlin' };
    const markup = statisticsPage(aView({ query: query({ ...typed, audience: 'bot' }) }));
    expect(markup).toMatch(/name="from"\s+type="date"\s+value="2026-11-01"/);
    expect(markup).toMatch(/name="to"\s+type="date"\s+value="2026-11-20"/);
    expect(markup).toContain('value="Europe/Berlin"');
    expect(markup).toMatch(/type="hidden"\s+name="audience"\s+value="bot"/);
    expect(markup).toContain(
      'href="/stats/abc?from=2026-11-01&amp;to=2026-11-20&amp;timezone=Europe%2FBerlin&amp;audience=all"',
    );
  });

  it('lists the given values and adds up the rest', () => {
    const rows = Array.from({ length: 10 }, (_, i) => aRow(`value-${i}`, 1000));
    const markup = statisticsPage(
      aView({
        clicks: 13_000,
        lists: [{ title: 'Referrers', rows, cut: { values: 2003, clicks: 3000 } }],
      }),
    );
    expect(markup).toContain('value-9');
    expect(markup).toMatch(/1,000 <span class="share">8\u00a0%</);
    expect(markup).toMatch(/and 2,003 more with 3,000 clicks/);
  });

  it('explains campaigns if there are none', () => {
    expect(statisticsPage(aView({ hasCampaigns: false }))).toContain('?utm_source=');
    expect(statisticsPage(aView())).not.toContain('?utm_source=');
  });

  it('links to the destination without endorsing it to search engines', () => {
    expect(statisticsPage(aView())).toMatch(
      /<a href="https:\/\/example\.com\/" rel="noopener noreferrer nofollow"/,
    );
    expect(statisticsPage(aView({ destination: null }))).toContain(
      'The link no longer leads anywhere.',
    );
  });

  it('escapes text from visitors and makes direction marks visible', () => {
    const rows = ['<script>alert(1)</script>', `"'><img src=x>`, 'a\u202egpj.exe', '\ud800'];
    const lists = [{ title: 'Referrers', rows: rows.map((label) => aRow(label)), cut: NO_MORE }];
    const destination = 'https://x.test/\u202e<b>"';
    const markup = statisticsPage(aView({ alias: '<i>', lists, destination }));
    expect(markup).not.toMatch(/<script|<img|<b>|<i>|\u202e|\ud800/);
    expect(markup).toContain('href="https://x.test/%E2%80%AE%3Cb%3E%22"');
    expect(markup).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(markup).toContain('a%E2%80%AEgpj.exe');
    expect(markup).toContain('\ufffd');
  });

  it('contains neither scripts nor inline styles, because its policy allows none', () => {
    expect(statisticsPage(aView())).not.toMatch(/<script|\sstyle=|\son[a-z]+=/);
  });
});
