import { isbotMatch } from 'isbot';
import { LRUCache } from 'lru-cache';
import { headerText } from '../common/header-text';
import { botName, findBotName } from './crawler-names';
import { previewerWord } from './previewers';

/** Longer User-Agents are rare and often made up, so they are not cached. */
const MAX_REMEMBERED_AGENT = 512;

/**
 * In-app browsers. On some Android phones, Facebook's apps send only this, which the crawler list
 * mistakes for crawlers. A test fails once the list recognizes them.
 */
const IN_APP =
  /\[?\bFB(?:AN|AV|_IAB)\/[^\]]*\]?|\b(?:Instagram|Barcelona) [\d.]+ (?:Android )?\([^)]*\)?|\b(?:NewsArticle|Viber|Line|WhatsApp|Snapchat)\/[\w.]+/g;

/** Programs that the crawler list misses. A test fails once it recognizes them. */
const NOT_LISTED = /\bBarracuda|\bDart\/\d/i;

export interface AgentVerdict {
  readonly name: string | null;
  /** Includes previewers that are not on the crawler list. */
  readonly isPreviewer: boolean;
}

const PERSON: AgentVerdict = { name: null, isPreviewer: false };

const known = new LRUCache<string, AgentVerdict>({ max: 4000 });

/** An empty User-Agent counts as a person. */
export function agentVerdict(userAgent: string): AgentVerdict {
  if (userAgent === '') return PERSON;
  if (userAgent.length > MAX_REMEMBERED_AGENT) return judgeAgent(userAgent);
  let verdict = known.get(userAgent);
  if (verdict === undefined) {
    verdict = judgeAgent(userAgent);
    known.set(userAgent, verdict);
  }
  return verdict;
}

function judgeAgent(userAgent: string): AgentVerdict {
  const text = headerText(userAgent);
  const previewer = previewerWord(text);
  if (previewer !== null) return { name: botName(previewer), isPreviewer: true };
  const outOfApps = text.replace(IN_APP, '').trim();
  const found = isbotMatch(outOfApps) ?? NOT_LISTED.exec(outOfApps)?.[0] ?? null;
  return found === null ? PERSON : { name: findBotName(outOfApps, found), isPreviewer: false };
}
