import { html } from './html';

describe('the html tag', () => {
  it('escapes what is put in and keeps nested markup', () => {
    const user = `<script>"x"&'y'</script>`;
    expect(
      html`<p title="${user}">${html`<b>${1}</b>`}${null}${false}${['<', html`<i></i>`]}</p>`
        .markup,
    ).toBe(
      '<p title="&lt;script&gt;&quot;x&quot;&amp;&#39;y&#39;&lt;/script&gt;"><b>1</b>&lt;<i></i></p>',
    );
  });
});
