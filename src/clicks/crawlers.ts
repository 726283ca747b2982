import { isbotMatch } from 'isbot';
import { LRUCache } from 'lru-cache';
import { headerText } from '../common/header-text';
import { botName, findBotName } from './crawler-names';
import { previewerWord } from './previewers';

/** Longer User-Agents are not cached, because they are rare and often random. */
const MAX_REMEMBERED_AGENT = 512;

/**
 * In-app browsers. Facebook's apps on some Android phones send only this part of a User-Agent, and
 * the crawler list classifies it as a crawler. A test fails once the list recognises these apps.
 */
const IN_APP =
  /\[?\bFB(?:AN|AV|_IAB)\/[^\]]*\]?|\b(?:Instagram|Barcelona) [\d.]+ (?:Android )?\([^)]*\)?|\b(?:NewsArticle|Viber|Line|WhatsApp|Snapchat)\/[\w.]+/g;

/** Programs that the crawler list does not contain. A test fails once it contains them. */
const NOT_LISTED = /\bBarracuda|\bDart\/\d/i;

export interface AgentVerdict {
  readonly name: string | null;
  /** Whether the client is a link previewer, even if the crawler list does not contain it. */
  readonly isPreviewer: boolean;
}

const PERSON: AgentVerdict = { name: null, isPreviewer: false };

const known = new LRUCache<string, AgentVerdict>({ max: 4000 });

/** An empty User-Agent is classified as a person. */
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
