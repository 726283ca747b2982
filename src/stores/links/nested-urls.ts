import { parseUrl } from '../../config/url';

const MAX_DECODINGS = 10;
const LEADING_WEB_SCHEME = /^https?:/i;
const WEB_URL = /https?:/gi;
/** Ends a URL inside a text, which is searched further. */
const URL_END = /[\s"'<>;&|\p{Cc}]/u;
/** Schemes that open a browser, whose URLs may lack a scheme. */
const BROWSER =
  /^(?:googlechromes?|microsoft-edge|firefox(?:-focus)?|brave|opera|ddgquicklink|x-safari):(?:\/\/)?/i;
const APP_INTENT = /^intent:(?:\/\/)?(.*?)#intent;(?:.*;)?scheme=(https?);/i;
const ANDROID_APP = /^android-app:\/\/[^/]*\/(https?)\/(.+)/i;

/** The address after each round of percent-decoding; null if it exceeds the bound. */
export function decodedForms(address: string): string[] | null {
  const forms: string[] = [];
  for (let form = address; !forms.includes(form); form = decodeEscapes(form)) {
    if (forms.length > MAX_DECODINGS) return null;
    forms.push(form);
  }
  return forms;
}

/** Includes intent fallbacks; may contain a URL twice, with and without the text after it. */
export function nestedUrls(address: string): string[] {
  if (LEADING_WEB_SCHEME.test(address)) return [];
  const found = new Set<string>();
  for (const form of decodedForms(address) ?? []) {
    // Browsers drop tabs and line breaks within a URL.
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

/** Web URLs that an app address contains without their scheme. */
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
