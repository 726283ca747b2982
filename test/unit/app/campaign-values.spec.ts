import { campaignOf, NO_CAMPAIGN, withCampaign } from '../../../web/parts/campaign-values';

const EXAMPLE = 'https://example.com/x';

describe('the campaign of a destination', () => {
  it.each([
    ['is added', 'example.com/x', { source: ' news ' }, `${EXAMPLE}?utm_source=news`],
    [
      'goes before the fragment, behind the rest of the query',
      `${EXAMPLE}?a=1#top`,
      { campaign: 'Spring sale' },
      `${EXAMPLE}?a=1&utm_campaign=Spring%20sale#top`,
    ],
    [
      'takes the place of the one before',
      `${EXAMPLE}?utm_source=old&b=%20`,
      { source: 'new' },
      `${EXAMPLE}?utm_source=new&b=%20`,
    ],
    ['is taken away', `${EXAMPLE}?utm_source=old#top`, {}, `${EXAMPLE}#top`],
    ['is taken away alongside others', `${EXAMPLE}?a=1&utm_source=old`, {}, `${EXAMPLE}?a=1`],
    ['leaves what it does not know', `${EXAMPLE}?utm_id=5`, {}, `${EXAMPLE}?utm_id=5`],
  ])('%s', (_, destination, values, result) => {
    expect(withCampaign(destination, { ...NO_CAMPAIGN, ...values })).toBe(result);
  });

  it('can be read exactly as it was written', () => {
    const values = { source: 'a&b=c', medium: 'ä ö', campaign: '#1?', term: '+', content: '%' };
    expect(campaignOf(withCampaign(`${EXAMPLE}?a=1#b`, values))).toEqual(values);
    expect(campaignOf('')).toEqual(NO_CAMPAIGN);
  });
});
