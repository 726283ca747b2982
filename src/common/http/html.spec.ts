import { html, visibleText } from './page';

describe('the html tag', () => {
  it('escapes interpolated values and keeps nested markup', () => {
    const user = `<script>"x"&'y'</script>`;
    expect(
      html`<p title="${user}">${html`<b>${1}</b>`}${null}${false}${['<', html`<i></i>`]}</p>`
        .markup,
    ).toBe(
      '<p title="&lt;script&gt;&quot;x&quot;&amp;&#39;y&#39;&lt;/script&gt;"><b>1</b>&lt;<i></i></p>',
    );
  });
});

describe('visibleText', () => {
  it('does not change ordinary text in any language', () => {
    for (const text of ['https://example.com/?a=b', 'Zürich', 'שלום', '日本', '🚀']) {
      expect(visibleText(text)).toBe(text);
    }
  });

  it.each([
    ['a right-to-left override', 'a\u202eb', 'a%E2%80%AEb'],
    ['a zero-width space', 'a\u200bb', 'a%E2%80%8Bb'],
    ['a soft hyphen', 'a\u00adb', 'a%C2%ADb'],
    ['a line separator', 'a\u2028b', 'a%E2%80%A8b'],
    ['an isolate', '\u2066a\u2069', '%E2%81%A6a%E2%81%A9'],
    ['several of them', '\u202e\u202e', '%E2%80%AE%E2%80%AE'],
  ])('shows %s', (_, text, shown) => {
    expect(visibleText(text)).toBe(shown);
  });

  it('replaces unpaired surrogates, and still makes marks visible', () => {
    expect(visibleText('\ud800a\u202e')).toBe('\ufffda%E2%80%AE');
  });
});
