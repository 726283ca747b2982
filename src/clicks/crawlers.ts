import { isbotMatch } from 'isbot';
import { LRUCache } from 'lru-cache';
import { headerText } from '../common/header-text';
import { botName, findBotName } from './crawler-names';
import { previewerWord } from './previewers';

/** Longer User-Agents are rare and often made up: they are matched anew rather than remembered. */
const MAX_REMEMBERED_AGENT = 512;

/**
 * Tokens of apps in which people follow links. Facebook's apps send nothing else on some Android
 * phones, with arbitrary texts in it (device, carrier): the crawler list takes 50 characters
 * without a space for a crawler, and "Google Fi" and "NewsArticle" for others. A test fails once
 * the list recognises them.
 */
const IN_APP =
  /\[?\bFB(?:AN|AV|_IAB)\/[^\]]*\]?|\b(?:Instagram|Barcelona) [\d.]+ (?:Android )?\([^)]*\)?|\b(?:NewsArticle|Viber|Line|WhatsApp|Snapchat)\/[\w.]+/g;

/** Programs that the crawler list takes for people. A test fails once it recognises them. */
const NOT_LISTED = /\bBarracuda|\bDart\/\d/i;

/** A verdict on who asks, by the User-Agent (docs/contract.md#28.1). */
export interface AgentVerdict {
  /** Name of the bot or previewer (docs/contract.md#8.4); null for people. */
  readonly name: string | null;
  /** Whether it is a link previewer, on the crawler list or not. */
  readonly isPreviewer: boolean;
}

const PERSON: AgentVerdict = { name: null, isPreviewer: false };

const known = new LRUCache<string, AgentVerdict>({ max: 4000 });

/** The verdict on a User-Agent; an absent one (empty) is a person's. */
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
