const MAX_NAME_CHARACTERS = 100;
const UNNAMED = 'Unnamed bot';

/** Known bots whose User-Agent does not begin with their name; the first match applies. */
const KNOWN_CRAWLERS: readonly (readonly [RegExp, string])[] = [
  [/\byahoo! slurp\b/i, 'Yahoo! Slurp'],
  [/\bgooglebot\b/i, 'Googlebot'],
  [/\bbingbot\b/i, 'bingbot'],
  [/\bcloudflare-/i, 'Cloudflare'],
  [/\bpingdom/i, 'Pingdom'],
];

/** Words that do not identify a client, such as browsers, systems and general terms for bots. */
const TELLING_NOTHING = new Set(
  `mozilla applewebkit webkit khtml like gecko chrome chromium crios safari version mobile firefox fxios
  edg edge edga edgios opr opera presto trident msie compatible windows nt win64 x64 wow64 macintosh intel
  mac os x x11 cros linux x86_64 i686 amd64 arm64 aarch64 ubuntu fedora debian unix android iphone ipad ipod
  cpu build wv rv u i n en us en-us dalvik samsung nexus pixel unknown
  a an and by for from in of on the to with at contact
  bot bots robot robots crawler crawl crawling spider scraper scanner scan fetcher fetch feed preview previewer
  monitor checker check agent client user-agent useragent http https http.rb httpclient url urls link links
  web website internet site server proxy search news tools archive archiver validator parser library download
  test service app api com org net www html htm php bot.html`.split(/\s+/),
);

/** Addresses and markup, which never contain a bot's name. */
const NAMELESS_PARTS = /<[^>]*>?|(?:https?:|mailto:|www\.)[^\s;,)]*|[^\s@]{1,64}@\S+/gi;
const NAME_WORD = /[\p{L}\p{N}][\p{L}\p{N}._!-]*/gu;
const VERSION_SUFFIX = /^\/v?\d/i;

/**
 * Returns a known bot, or else the first word that can identify one (docs/contract.md#8.4). Names
 * consist of letters, digits and a few marks, so that a User-Agent cannot inject misleading text.
 * @param found the text that matched the crawler list
 */
export function findBotName(userAgent: string, found: string): string {
  const known = KNOWN_CRAWLERS.find(([pattern]) => pattern.test(userAgent));
  if (known !== undefined) return known[1];
  // The length is preserved, so that positions also apply to the User-Agent.
  const text = userAgent.replace(NAMELESS_PARTS, (part) => ' '.repeat(part.length));
  const words = [...text.matchAll(NAME_WORD)].filter(([word]) => tellsWho(word));
  const at = userAgent.indexOf(found);
  const named =
    words.find(({ 0: word, index }) => index < at + found.length && index + word.length > at) ??
    words.find(({ 0: word, index }) => VERSION_SUFFIX.test(text.slice(index + word.length))) ??
    words[0];
  return named === undefined ? UNNAMED : botName(named[0]);
}

export function botName(word: string): string {
  return word.slice(0, MAX_NAME_CHARACTERS);
}

function tellsWho(word: string): boolean {
  return /\p{L}{2}/u.test(word) && !TELLING_NOTHING.has(word.toLowerCase());
}
