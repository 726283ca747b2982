import { hostsOfAddress } from './destination-hosts';
import { decodedForms, nestedUrls } from './nested-urls';

const PHISH = 'phish.example';

describe('the web addresses inside an app link', () => {
  it.each([
    'intent://phish.example/x#Intent;scheme=https;package=com.android.chrome;end',
    'intent://ok#Intent;scheme=none;S.browser_fallback_url=https%3A%2F%2Fphish.example%2F;end',
    'intent://ok#Intent;S.browser_fallback_url=https%253A%252F%252Fphish.example;end',
    'intent:https://phish.example/#Intent;package=a;end',
    'googlechrome://navigate?url=https://phish.example/',
    'googlechrome://navigate?url=phish.example',
    'googlechromes://phish.example/x',
    'microsoft-edge:https://phish.example/',
    'microsoft-edge:phish.example/x',
    'microsoft-edge://?ux=1&url=https%3A%2F%2Fphish.example',
    'microsoft-edge-https://phish.example/',
    'firefox://open-url?url=https://phish.example/',
    'firefox-focus://open-url?url=HTTPS%3a%2f%2fphish.example',
    'brave://open-url?url=https%3A%2F%2Fphish.example',
    'opera-https://phish.example',
    'x-safari-https://phish.example/',
    'android-app://com.android.chrome/https/phish.example/x',
    'myapp://open?next=https:%5C%5Cphish.example%5Cx',
    'myapp://open?next=ht%0Atps://phish.example',
    'myapp://open?text=see%20https://phish.example%20now',
    'myapp://open?text=see%20https://phish.example%0Anow',
    'myapp://open?a=https://ok.example/?u=https%3A%2F%2Fphish.example&b=1',
    'myapp://open?a=%ff%68ttps://phish.example',
    'myapp://open?a=https://ok@phish.example',
  ])('%s', (address) => {
    expect(hostsOfAddress(address)).toContain(PHISH);
  });

  it.each([
    'myapp://open/phish.example',
    'myapp://open?next=phish.example',
    'spotify:track:11dFghVXANMlKmJXsNCbNl',
    'tel:+491234',
    'https://ok.example/?u=https://phish.example/',
  ])('do not exist in %s', (address) => {
    expect(hostsOfAddress(address)).not.toContain(PHISH);
  });

  it('are found both with and without the text after them', () => {
    expect(nestedUrls('myapp://open?u=https://a.example/b;c#d&e')).toEqual([
      'https://a.example/b',
      'https://a.example/b;c#d&e',
    ]);
  });

  it('are searched in ten layers of encoding, and not in an address with more', () => {
    const wrapped = (layers: number) => {
      let text = 'https://phish.example';
      for (let i = 0; i < layers; i++) text = encodeURIComponent(text);
      return `myapp://open?u=${text}`;
    };
    expect(hostsOfAddress(wrapped(9))).toContain(PHISH);
    expect(decodedForms(wrapped(12))).toBeNull();
    expect(decodedForms('myapp://100%')).toEqual(['myapp://100%']);
  });
});
