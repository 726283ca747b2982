import type { LinkColumns } from './link-columns';
import { NoteReader, NoteSearch } from './note-column';
import type { TagSet } from '../../stores/tags/tag-set';
import { PRESENCE_BITS } from './listed-link';
import {
  type LinkFilter,
  type LinkFilterStatus,
  PRESENCE_FILTERS,
  type SearchWord,
} from './link-list';
import { BLOCKED, CLOSED_BY_LIMIT, ELSEWHERE, INACTIVE, type RowBlock, LIVE } from './row-block';
import { type Needle, type TagMarks, RowSearch, TagSearch, countMarked } from './row-search';

type RowTest = (block: RowBlock, row: number) => boolean;

interface WordTest {
  /** Text to search for in notes; null if notes are not searched. */
  readonly part: Buffer | null;
  readonly needles: readonly Needle[];
  readonly tags: TagMarks | null;
}

export interface LinkTests {
  readonly rows: readonly RowTest[];
  readonly words: readonly WordTest[];
  readonly nothing: boolean;
}

export function isOpenFilter(filter: LinkFilter): boolean {
  const { search, tags, excludeTags, ...values } = filter;
  const lists = [search, tags?.keys, excludeTags];
  return (
    Object.values<unknown>(values).every((value) => value === undefined) &&
    lists.every((list) => list === undefined || list.length === 0)
  );
}

export function needsTags({ tags, excludeTags, untagged, search }: LinkFilter): boolean {
  const lists = [tags?.keys, excludeTags, search];
  return untagged !== undefined || lists.some((list) => (list?.length ?? 0) > 0);
}

/** The filter must have at least one criterion. */
export function toLinkTests(
  filter: LinkFilter,
  now: number,
  columns: LinkColumns,
  tags: TagSet,
): LinkTests {
  const { status, createdAfter, createdBefore, domain } = filter;
  const rows: RowTest[] = [];
  if (status !== undefined) rows.push(hasStatus(status, now));
  for (const { filter: name } of PRESENCE_FILTERS) {
    const wanted = filter[name];
    if (wanted !== undefined) rows.push(hasFlag(PRESENCE_BITS[name], wanted));
  }
  if (createdAfter !== undefined) {
    rows.push(({ createdAt }, row) => createdAt.at(row) >= createdAfter);
  }
  if (createdBefore !== undefined) {
    rows.push(({ createdAt }, row) => createdAt.at(row) <= createdBefore);
  }
  if (domain !== undefined) rows.push(hasFlag(ELSEWHERE, domain !== null));
  if (filter.source !== undefined) {
    rows.push(hasAny(marksOrNull(columns, columns.matchingSources(filter.source))));
  }
  rows.push(...tagTests(filter, columns, tags));
  const search = filter.search ?? [];
  return {
    rows,
    words: [
      ...domainTest(domain),
      ...search.map((word) => ({
        part: Buffer.from(word.part),
        needles: toNeedles(word),
        tags: marksOrNull(
          columns,
          tags.all.filter(({ key }) => key.includes(word.part)).map(({ id }) => id),
        ),
      })),
    ],
    nothing:
      domain?.length === 0 ||
      // Stored texts contain no unpaired surrogates, so such a search has no matches.
      search.some(({ part }) => /\p{Surrogate}/u.test(part)),
  };
}

const MATCH_NO_ROW: RowTest = () => false;

function hasAny(marks: TagMarks | null): RowTest {
  return marks === null ? MATCH_NO_ROW : (block, row) => countMarked(block, row, marks) > 0;
}

function tagTests(
  { tags: wanted, excludeTags, untagged }: LinkFilter,
  columns: LinkColumns,
  tags: TagSet,
): RowTest[] {
  const tests: RowTest[] = [];
  const knownTagIds = (keys: readonly string[]): string[] =>
    [...new Set(keys)].flatMap((key) => tags.byKey(key)?.id ?? []);
  if (wanted !== undefined && wanted.keys.length > 0) {
    const ids = knownTagIds(wanted.keys);
    const marks = marksOrNull(columns, ids);
    const isUnknown = ids.length < new Set(wanted.keys).size;
    if (marks === null || (wanted.mode === 'all' && isUnknown)) tests.push(MATCH_NO_ROW);
    else if (wanted.mode === 'any') tests.push(hasAny(marks));
    else tests.push((block, row) => countMarked(block, row, marks) === ids.length);
  }
  const excluded = marksOrNull(columns, knownTagIds(excludeTags ?? []));
  if (excluded !== null) tests.push((block, row) => countMarked(block, row, excluded) === 0);
  if (untagged !== undefined) {
    // Ignores tags that are being deleted.
    const known = columns.tagMarks(tags.all.map(({ id }) => id));
    tests.push((block, row) => (countMarked(block, row, known) === 0) === untagged);
  }
  return tests;
}

function marksOrNull(columns: LinkColumns, ids: readonly string[]): TagMarks | null {
  const isCarried = ids.some((id) => columns.tagNumber(id) !== undefined);
  return isCarried ? columns.tagMarks(ids) : null;
}

function toNeedles({ part, alias, aliasOn = null, domains = [] }: SearchWord): Needle[] {
  const needles = [{ bytes: Buffer.from(part), isWholeLine: false }, ...domains.map(onDomain)];
  if (alias === null) return needles;
  const line = aliasOn === null ? alias : `${alias}\t${aliasOn.toUpperCase()}`;
  return [...needles, { bytes: Buffer.from(`\n${line}\n`), isWholeLine: true }];
}

/** Matches the end of an alias line on a custom domain. */
function onDomain(id: string): Needle {
  return { bytes: Buffer.from(`\t${id.toUpperCase()}\n`), isWholeLine: false };
}

function domainTest(domain: LinkFilter['domain']): WordTest[] {
  return domain ? [{ part: null, needles: domain.map(onDomain), tags: null }] : [];
}

function hasStatus(status: LinkFilterStatus, now: number): RowTest {
  const has = ({ flags }: RowBlock, row: number, wanted: number): boolean =>
    ((flags[row] ?? 0) & wanted) === wanted;
  const isOver = ({ expireAfter }: RowBlock, row: number): boolean => expireAfter.at(row) <= now;
  const isScheduled = ({ startsAt }: RowBlock, row: number): boolean => startsAt.at(row) > now;
  const isClosed = (block: RowBlock, row: number): boolean =>
    isOver(block, row) || isScheduled(block, row) || has(block, row, INACTIVE);
  const isBlocked = (block: RowBlock, row: number): boolean => has(block, row, BLOCKED);
  switch (status) {
    case 'BLOCKED':
      return isBlocked;
    case 'EXPIRED':
      return passesUnless(
        isBlocked,
        (block, row) => isOver(block, row) || has(block, row, CLOSED_BY_LIMIT | INACTIVE),
      );
    case 'SCHEDULED':
      return passesUnless(isBlocked, isScheduled);
    case 'INACTIVE':
      return passesUnless(isBlocked, isClosed);
    case 'ACTIVE':
      return (block, row) => !isBlocked(block, row) && !isClosed(block, row);
  }
}

function passesUnless(excluded: RowTest, wanted: RowTest): RowTest {
  return (block, row) => !excluded(block, row) && wanted(block, row);
}

function hasFlag(flag: number, wanted: boolean): RowTest {
  return ({ flags }, row) => (((flags[row] ?? 0) & flag) !== 0) === wanted;
}

/** Sets `passed` to 1 for each matching row in the range; returns their number. */
export function markPassing(
  { rows, words }: LinkTests,
  block: RowBlock,
  { from, end }: { from: number; end: number },
  passed: Uint8Array,
): number {
  let count = 0;
  const judge = (row: number): void => {
    if (((block.flags[row] ?? 0) & LIVE) === 0) return;
    for (const passes of rows) if (!passes(block, row)) return;
    passed[row] = 1;
    count++;
  };
  if (words.length === 0) for (let row = from; row < end; row++) judge(row);
  else forEachHolding(words, block, { from, end }, judge);
  return count;
}

/** Visits rows that match all words. Each search skips ahead to the furthest match so far. */
function forEachHolding(
  words: LinkTests['words'],
  block: RowBlock,
  { from, end }: { from: number; end: number },
  found: (row: number) => void,
): void {
  const notes = new NoteReader(block.notes);
  const searches = words.map(({ needles, part, tags }) => [
    ...needles.map((each) => new RowSearch(each, block, end)),
    ...(part === null ? [] : [new NoteSearch(notes, part, end)]),
    ...(tags === null ? [] : [new TagSearch(tags, block, end)]),
  ]);
  let row = from;
  while (row < end) {
    const begun = row;
    for (const ways of searches) {
      const from = row;
      row = ways.reduce((nearest, way) => Math.min(nearest, way.next(from)), end);
      if (row >= end) return;
    }
    if (row === begun) found(row++);
  }
}
