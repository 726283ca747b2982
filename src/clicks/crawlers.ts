import { isbotMatch } from 'isbot';
import { LRUCache } from 'lru-cache';

/** Longer User-Agents are rare and often made up: they are matched anew rather than remembered. */
const LONGEST_REMEMBERED = 512;
/** What a crawler list can match is short; only made-up text is longer. */
const LONGEST_NAME = 100;

const names = new LRUCache<string, { name: string | null }>({ max: 4000 });

/** Whether a User-Agent is on the crawler list. An absent one (empty) is no crawler. */
export function isCrawler(userAgent: string): boolean {
  return crawlerName(userAgent) !== null;
}

/** The text by which the crawler list recognises a User-Agent; null when it does not. */
export function crawlerName(userAgent: string): string | null {
  if (userAgent === '') return null;
  if (userAgent.length > LONGEST_REMEMBERED) return match(userAgent);
  let known = names.get(userAgent);
  if (known === undefined) {
    known = { name: match(userAgent) };
    names.set(userAgent, known);
  }
  return known.name;
}

function match(userAgent: string): string | null {
  return isbotMatch(userAgent)?.slice(0, LONGEST_NAME) ?? null;
}
