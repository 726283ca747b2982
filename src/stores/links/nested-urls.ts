import { parseUrl } from '../../config/url';

const MAX_DECODINGS = 10;
const LEADING_WEB_SCHEME = /^https?:/i;
const WEB_URL = /https?:/gi;
/** Characters that end a URL within a string; the search continues after the URL. */
const URL_END = /[\s"'<>;&|\p{Cc}]/u;
/** Schemes that open a browser; the URL after them may lack its own scheme. */
const BROWSER =
  /^(?:googlechromes?|microsoft-edge|firefox(?:-focus)?|brave|opera|ddgquicklink|x-safari):(?:\/\/)?/i;
const APP_INTENT = /^intent:(?:\/\/)?(.*?)#intent;(?:.*;)?scheme=(https?);/i;
const ANDROID_APP = /^android-app:\/\/[^/]*\/(https?)\/(.+)/i;

/** Returns the address after each round of percent-decoding; null if there are too many rounds. */
export function decodedForms(address: string): string[] | null {
  const forms: string[] = [];
  for (let form = address; !forms.includes(form); form = decodeEscapes(form)) {
    if (forms.length > MAX_DECODINGS) return null;
    forms.push(form);
  }
  return forms;
}

/** Returns nested web URLs and intent fallbacks; a URL may occur twice, with text after it. */
export function nestedUrls(address: string): string[] {
  if (LEADING_WEB_SCHEME.test(address)) return [];
  const found = new Set<string>();
  for (const form of decodedForms(address) ?? []) {
    // Browsers ignore tabs and line breaks in a URL, so the text is also searched without them.
    for (const text of [form, form.replace(/[\t\n\r]/g, '')]) {
      for (const url of [...webUrls(text), ...impliedUrls(text)]) {
        const { hostname = '', href = '' } = parseUrl(url) ?? {};
        if (hostname !== '') found.add(href);
      }
    }
  }
  return [...found];
}

function webUrls(text: string): string[] {
  return [...text.matchAll(WEB_URL)].flatMap(({ index }) => urlPrefixes(text.slice(index)));
}

/** Returns web URLs whose scheme an app address omits. */
function impliedUrls(text: string): string[] {
  const [, place, scheme] = APP_INTENT.exec(text) ?? [];
  if (place !== undefined && scheme !== undefined) return urlPrefixes(`${scheme}://${place}`);
  const [, named, rest] = ANDROID_APP.exec(text) ?? [];
  if (named !== undefined && rest !== undefined) return urlPrefixes(`${named}://${rest}`);
  if (!BROWSER.test(text)) return [];
  const opened = text.replace(BROWSER, '');
  const values = [...opened.matchAll(/[?&][^=&#]*=([^&#]+)/g)].map(([, value = '']) => value);
  return [opened, ...values]
    .filter((value) => !LEADING_WEB_SCHEME.test(value))
    .flatMap((value) => urlPrefixes(`https://${value}`));
}

function urlPrefixes(url: string): string[] {
  const [start = ''] = url.split(URL_END, 1);
  return [start, url.replace(/[\s\p{Cc}].*$/su, '')];
}

function decodeEscapes(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) =>
    Buffer.from(bytes.replaceAll('%', ''), 'hex').toString(),
  );
}
