import { type TextForm, composed, firstCodePoints, textProblem } from '../../common/plain-text';
import { distinctTagNames, MAX_TAGS_OF_LINK, tagNameProblem } from '../../stores/tags/tag';
import type { ImportNote } from '../store/import';
import { sourceTime } from './source-time';

const MAX_COUNT = 2_147_483_647;
/** Words that mean "no value". */
const EMPTY_WORD =
  /^(?:[(<]?(?:none|null|nil|empty)[)>]?|nan|#?n\/a|undefined|\\N|""|''|\{\}|[-\u2013\u2014]+)?$/i;
const NO_LIMIT = /^(?:never|unlimited|no|false)$/i;

/** Null if the text is empty; an unreadable or future time yields null and a note. */
export function pastTime(text: string, zone: string, notes: Set<ImportNote>): Date | null {
  if (text === '') return null;
  const at = sourceTime(text, zone);
  if (at !== null && at <= Date.now()) return new Date(at);
  notes.add('time_unreadable');
  return null;
}

export function anyTime(text: string, zone: string, dropped: Record<string, string>): Date | null {
  if (EMPTY_WORD.test(text) || NO_LIMIT.test(text) || text === '0') return null;
  const at = sourceTime(text, zone);
  if (at !== null && at < Date.UTC(10_000, 0, 1)) return new Date(at);
  dropped.expire_after = text.slice(0, 100);
  return null;
}

/** Matches digit groups of three with one separator, and Indian digit groups. */
const GROUPED = /^[1-9]\d{0,2}(?:([,.'\u2019_ ])\d{3})(?:\1\d{3})*$|^[1-9]\d?(?:,\d{2})*,\d{3}$/;

/** Parses a whole number; adds an unreadable, ambiguous (0) or too large value to `dropped`. */
export function parseCount(
  text: string,
  name: string,
  dropped: Record<string, string>,
  max = MAX_COUNT,
): number {
  if (EMPTY_WORD.test(text) || NO_LIMIT.test(text)) return 0;
  const plain = text.replaceAll(/\s/g, ' ');
  const whole = /^(.*\d)([.,])0{1,2}$/.exec(plain);
  const number = whole !== null && !whole[1]?.includes(whole[2] ?? '') ? (whole[1] ?? '') : plain;
  const digits = GROUPED.test(number) ? number.replaceAll(/\D/g, '') : number;
  const count = /^\d+$/.test(digits) ? Number(digits) : 0;
  if (count > max) {
    dropped[name] = `${text.slice(0, 100)}, reduced to ${max}`;
    return max;
  }
  if (!/^\d+$/.test(digits)) dropped[name] = text.slice(0, 100);
  return count;
}

/** Truncates text to the link field's maximum length; null if the text is empty. */
export function fitting(
  text: string,
  name: string,
  form: TextForm,
  dropped: Record<string, string>,
): string | null {
  if (text === '') return null;
  const cut = firstCodePoints(composed(text), form.max).trim();
  const problem = textProblem(cut, form);
  if (problem !== null || cut.length < text.length)
    dropped[name] = problem ?? `cut to ${form.max} characters`;
  return problem === null ? cut : null;
}

/** Text in brackets that contains several members or quotes. */
const BRACKETED = /^(?:\[([^[\]]*[,;|'"][^[\]]*)\]|[({](\s*["'][^(){}]*)[)}])$/s;

/** Parses a JSON, Python or PostgreSQL list; splits any other text at the separators. */
export function parseList(text: string, separators?: RegExp): string[] {
  for (const json of jsonLists(text)) {
    const list = parsedList(json);
    if (list !== null) return list;
  }
  if (separators === undefined) return [text];
  const [, list, set] = BRACKETED.exec(text) ?? [];
  return (list ?? set ?? text).split(separators).map(withoutQuotes);
}

function withoutQuotes(member: string): string {
  return /^\s*(["'])(.*)\1\s*$/s.exec(member)?.[2] ?? member;
}

function jsonLists(text: string): string[] {
  if (/^\[.*\]$/s.test(text)) {
    return [text, text.replaceAll("'", '"').replaceAll(/\bNone(?=\s*[,\]])/g, 'null')];
  }
  if (!/^\{.*\}$/s.test(text)) return [];
  const members = text.slice(1, -1).replaceAll(/"(?:[^"\\]|\\.)*"|[^",{}]+/gs, postgresMember);
  return [`[${members}]`];
}

function postgresMember(member: string): string {
  if (member.startsWith('"')) return member;
  return /^\s*null\s*$/i.test(member) ? 'null' : JSON.stringify(member.trim());
}

/** Omits nulls, and replaces an object in the list, such as a Dub tag, with its name. */
function parsedList(json: string): string[] | null {
  let list: unknown;
  try {
    list = JSON.parse(json);
  } catch {
    return null;
  }
  if (!Array.isArray(list)) return null;
  const members = (list as unknown[]).filter((member) => member !== null);
  const names = members.map((member: unknown) => {
    const name =
      typeof member === 'object' && member !== null && 'name' in member ? member.name : member;
    return typeof name === 'string' || typeof name === 'number' ? String(name) : null;
  });
  return names.every((name) => name !== null) ? names : null;
}

export function parseTags(text: string, dropped: Record<string, string>): string[] {
  if (EMPTY_WORD.test(text)) return [];
  const names = distinctTagNames(parseList(text, /[,;|]/).filter((name) => name.trim() !== ''));
  const good = names.filter((name) => tagNameProblem(name) === null).slice(0, MAX_TAGS_OF_LINK);
  if (good.length < names.length) {
    dropped.tags = names
      .filter((name) => !good.includes(name))
      .join(',')
      .slice(0, 500);
  }
  return good;
}

/** Any text counts as a password, except words for "no". */
export function isPassword(text: string): boolean {
  return text !== '' && !/^(?:no|false|0|null)$/i.test(text);
}
