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

/** A label that an account gives its links (docs/contract.md#19.2). */
export interface Tag {
  readonly id: string;
  readonly name: string;
  /** The name in lower case, by which tags are told apart. */
  readonly key: string;
  readonly color: TagColor;
  readonly createdAt: Date;
}

export const MAX_TAGS = 1000;
export const MAX_TAGS_OF_LINK = 20;
export const MAX_TAG_NAME = 40;
/** Label of the links without a tag in statistics, which no tag can have. */
export const UNTAGGED = '(none)';

/** A name in the form in which it is judged and stored: NFC, each white space one space. */
export function tagName(text: string): string {
  return composed(text).trim().replace(/\s+/g, ' ');
}

/** Characters that are not shown; those of U+E0020 to E007F make flags of regions. */
const UNSEEN_TAG_CHARACTERS = /(?![\u{e0020}-\u{e007f}])\p{Default_Ignorable_Code_Point}/gu;

/** Names with equal keys, which look the same, are the same tag. */
export function tagKey(text: string): string {
  return tagName(text).toLowerCase().replace(UNSEEN_TAG_CHARACTERS, '').trim();
}

/** Why no tag can be called that; null when one can. */
export function tagNameProblem(text: string): string | null {
  const name = tagName(text);
  if (name.includes(',')) return 'must have no comma';
  if (tagKey(name) === UNTAGGED) return `must not be ${UNTAGGED}, which means no tag`;
  return textProblem(name, { max: MAX_TAG_NAME });
}

/** The names in their stored form, one for each tag, the first spelling of it. */
export function distinctTagNames(texts: readonly string[]): string[] {
  const names = new Map<string, string>();
  for (const name of texts.map(tagName)) {
    const key = tagKey(name);
    if (!names.has(key)) names.set(key, name);
  }
  return [...names.values()];
}
