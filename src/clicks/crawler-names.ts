/** Names of bots are short; only made-up text is longer. */
const MAX_NAME_CHARACTERS = 100;
/** For a bot that says nothing of itself. */
const UNNAMED = 'Unnamed bot';

/**
 * Well-known bots whose User-Agent does not say whose they are, or not in its first word: the first
 * row that fits gives the name.
 */
const KNOWN_CRAWLERS: readonly (readonly [RegExp, string])[] = [
  [/\byahoo! slurp\b/i, 'Yahoo! Slurp'],
  [/\bgooglebot\b/i, 'Googlebot'],
  [/\bbingbot\b/i, 'bingbot'],
  [/\bcloudflare-/i, 'Cloudflare'],
  [/\bpingdom/i, 'Pingdom'],
];

/** Words that tell nothing of who asks: of browsers and systems, and what any bot may be called. */
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

/** Addresses and markup, in which no bot names itself. */
const NAMELESS_PARTS = /<[^>]*>?|(?:https?:|mailto:|www\.)[^\s;,)]*|[^\s@]{1,64}@\S+/gi;
const NAME_WORD = /[\p{L}\p{N}][\p{L}\p{N}._!-]*/gu;
/** A version directly behind a word makes it the name of a product. */
const VERSION_SUFFIX = /^\/v?\d/i;

/**
 * The name of a bot (docs/contract.md#8.4): that of a well-known one, else the word in which the
 * crawler list has found something, else the first product, else the first word, as far as these
 * tell anything. Letters, digits and a few marks: nothing of a User-Agent that could mislead.
 *
 * @param found what the crawler list has found in it
 */
export function findBotName(userAgent: string, found: string): string {
  const known = KNOWN_CRAWLERS.find(([pattern]) => pattern.test(userAgent));
  if (known !== undefined) return known[1];
  // Keeps the length, so that positions are the same as in the User-Agent.
  const text = userAgent.replace(NAMELESS_PARTS, (part) => ' '.repeat(part.length));
  const words = [...text.matchAll(NAME_WORD)].filter(([word]) => tellsWho(word));
  const at = userAgent.indexOf(found);
  const named =
    words.find(({ 0: word, index }) => index < at + found.length && index + word.length > at) ??
    words.find(({ 0: word, index }) => VERSION_SUFFIX.test(text.slice(index + word.length))) ??
    words[0];
  return named === undefined ? UNNAMED : botName(named[0]);
}

/** A name as it is stored. */
export function botName(word: string): string {
  return word.slice(0, MAX_NAME_CHARACTERS);
}

function tellsWho(word: string): boolean {
  return /\p{L}{2}/u.test(word) && !TELLING_NOTHING.has(word.toLowerCase());
}
