import { referrerLabel } from './referrer-label';

describe('The label of a referrer', () => {
  it.each([
    ['https://www.google.com', 'google.com'],
    ['http://news.ycombinator.com', 'news.ycombinator.com'],
    ['https://WWW.Example.org', 'Example.org'],
    ['https://xn--mnchen-3ya.de', 'xn--mnchen-3ya.de'],
  ])('for %s is the host without scheme and www.: %s', (referrer, label) => {
    expect(referrerLabel(referrer)).toBe(label);
  });

  it('keeps www. if the host has no other part', () => {
    expect(referrerLabel('https://www.com')).toBe('www.com');
    expect(referrerLabel('https://wwwhatsnew.com')).toBe('wwwhatsnew.com');
  });

  it.each([
    ['android-app://com.google.android.gm', 'Gmail (Android)'],
    ['android-app://com.slack', 'Slack (Android)'],
    ['android-app://org.example.unheard', 'org.example.unheard (Android)'],
    ['android-app://constructor', 'constructor (Android)'],
  ])('for %s is the name of the app: %s', (referrer, label) => {
    expect(referrerLabel(referrer)).toBe(label);
  });

  it.each(['Direct', '(other)', '', 'moz-extension://abc', 'https://'])(
    'for %j, which is neither a site nor an app, is the value itself',
    (value) => {
      expect(referrerLabel(value)).toBe(value);
    },
  );
});
