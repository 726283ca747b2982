import { isbotMatch } from 'isbot';
import { LRUCache } from 'lru-cache';
import { headerText } from '../common/header-text';
import { botNameOf } from './crawler-names';

/** Longer User-Agents are rare and often made up: they are matched anew rather than remembered. */
const MAX_REMEMBERED_AGENT = 512;

/**
 * Tokens of apps in which people follow links. Facebook's apps send nothing else on some Android
 * phones, with arbitrary texts in it (device, carrier): the crawler list takes 50 characters
 * without a space for a crawler, and "Google Fi" and "NewsArticle" for others. A test fails once
 * the list recognises them.
 */
const IN_APP =
  /\[?\bFB(?:AN|AV|_IAB)\/[^\]]*\]?|\b(?:Instagram|Barcelona) [\d.]+ (?:Android )?\([^)]*\)?|\bNewsArticle\/[\d.]+/g;

const nameTokens = new LRUCache<string, { name: string | null }>({ max: 4000 });

/** Whether a User-Agent is on the crawler list. An absent one (empty) is no crawler. */
export function isCrawler(userAgent: string): boolean {
  return crawlerName(userAgent) !== null;
}

/** The name of a User-Agent that is on the crawler list; null when it is not. */
export function crawlerName(userAgent: string): string | null {
  if (userAgent === '') return null;
  if (userAgent.length > MAX_REMEMBERED_AGENT) return match(userAgent);
  let known = nameTokens.get(userAgent);
  if (known === undefined) {
    known = { name: match(userAgent) };
    nameTokens.set(userAgent, known);
  }
  return known.name;
}

function match(userAgent: string): string | null {
  const text = headerText(userAgent).replace(IN_APP, '').trim();
  const found = isbotMatch(text);
  return found === null ? null : botNameOf(text, found);
}
