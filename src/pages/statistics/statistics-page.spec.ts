import { statisticsPage } from './statistics-page';
import type { StatisticsView } from './statistics-view';

const NO_MORE = { values: 0, clicks: 0 };

function aView(changes: Partial<StatisticsView> = {}): StatisticsView {
  return {
    alias: 'abc',
    shortUrl: 'http://localhost:8000/abc',
    totals: [{ name: 'Clicks', value: '3' }],
    facts: [{ name: 'Leads to', value: 'https://example.com/' }],
    days: [
      { label: '2026-11-20', clicks: 1, visitors: 1 },
      { label: '2026-11-21', clicks: 2, visitors: 1 },
    ],
    lists: [
      { title: 'Browser', rows: [{ label: 'Chrome', clicks: 3, visitors: 2 }], cut: NO_MORE },
    ],
    formats: ['csv', 'json'],
    ...changes,
  };
}

const aRow = (label: string, clicks = 1) => ({ label, clicks, visitors: 1 });

describe('the statistics page', () => {
  it('draws a column a day, the highest over the whole height', () => {
    const markup = statisticsPage(aView());
    const columns = markup.split('class="columns"')[1]?.split('</svg>')[0] ?? '';
    expect(columns.match(/<rect/g)).toHaveLength(2);
    expect(columns).toMatch(/y="90\.00"\s+width="[\d.]+"\s+height="90\.00"/);
    expect(columns).toMatch(/y="0\.00"\s+width="[\d.]+"\s+height="180\.00"/);
    expect(columns).toContain('<title>2026-11-21: 2</title>');
  });

  it('says so when nobody has followed the link', () => {
    const markup = statisticsPage(
      aView({ days: [], lists: [{ title: 'Browser', rows: [], cut: NO_MORE }] }),
    );
    expect(markup).toContain('Nobody has followed this link yet.');
    expect(markup).not.toContain('<svg');
    expect(markup).not.toContain('class="bars"');
  });

  it('lists what it is given and sums up the rest', () => {
    const rows = Array.from({ length: 10 }, (_, i) => aRow(`value-${i}`, 1000));
    const markup = statisticsPage(
      aView({ lists: [{ title: 'Referrer', rows, cut: { values: 2003, clicks: 3000 } }] }),
    );
    expect(markup).toContain('value-9');
    expect(markup).toContain('and 2,003 more with 3,000 clicks');
  });

  it('escapes what visitors sent and shows direction marks as what they are', () => {
    const rows = ['<script>alert(1)</script>', `"'><img src=x>`, 'a\u202egpj.exe', '\ud800'];
    const lists = [{ title: 'Referrer', rows: rows.map((label) => aRow(label)), cut: NO_MORE }];
    const facts = [{ name: 'Leads to', value: 'https://x.test/\u202e<b>' }];
    const markup = statisticsPage(aView({ alias: '<i>', lists, facts }));
    expect(markup).not.toMatch(/<script|<img|<b>|<i>|\u202e|\ud800/);
    expect(markup).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(markup).toContain('a%E2%80%AEgpj.exe');
    expect(markup).toContain('\ufffd');
  });

  it('has neither script nor inline style, as its policy allows none', () => {
    expect(statisticsPage(aView())).not.toMatch(/<script|\sstyle=|\son[a-z]+=/);
  });
});
