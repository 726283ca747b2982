import { composed, textProblem } from '../../common/plain-text';

export const TAG_COLORS = [
  'grey',
  'red',
  'orange',
  'yellow',
  'green',
  'teal',
  'blue',
  'purple',
  'pink',
] as const;
export type TagColor = (typeof TAG_COLORS)[number];

export interface Tag {
  readonly id: string;
  readonly name: string;
  readonly key: string;
  readonly color: TagColor;
  readonly createdAt: Date;
}

export const MAX_TAGS = 1000;
export const MAX_TAGS_OF_LINK = 20;
export const MAX_TAG_NAME = 40;
/** Label for links without tags in statistics; no tag can have this name. */
export const UNTAGGED = '(none)';

/** Returns the stored form: NFC, with each run of white space replaced by a space. */
export function tagName(text: string): string {
  return composed(text).trim().replace(/\s+/g, ' ');
}

/** Invisible characters, except U+E0020 to U+E007F, which are part of regional flags. */
const UNSEEN_TAG_CHARACTERS = /(?![\u{e0020}-\u{e007f}])\p{Default_Ignorable_Code_Point}/gu;

/** Names that look the same have equal keys. */
export function tagKey(text: string): string {
  return tagName(text).toLowerCase().replace(UNSEEN_TAG_CHARACTERS, '').trim();
}

export function tagNameProblem(text: string): string | null {
  const name = tagName(text);
  if (name.includes(',')) return 'must not contain a comma';
  if (tagKey(name) === UNTAGGED) return `must not be ${UNTAGGED}, which means no tag`;
  return textProblem(name, { max: MAX_TAG_NAME });
}

/** Returns stored forms; among names with equal keys, only the first is kept. */
export function distinctTagNames(texts: readonly string[]): string[] {
  const names = new Map<string, string>();
  for (const name of texts.map(tagName)) {
    const key = tagKey(name);
    if (!names.has(key)) names.set(key, name);
  }
  return [...names.values()];
}
