import type { LinkStatus } from '../lookup/link';
import type { ListedLink } from './listed-link';

/** What a list is narrowed to; an absent key narrows nothing. Times in milliseconds, inclusive. */
export interface LinkFilter {
  readonly status?: LinkStatus;
  readonly createdAfter?: number;
  readonly createdBefore?: number;
  readonly passwordSet?: boolean;
  readonly maxClicksSet?: boolean;
  readonly search?: string;
}

export type LinkTest = (link: ListedLink) => boolean;

/** The tests that a link has to pass, cheap ones first; none for an empty filter. */
export function testsOf(filter: LinkFilter, now: number): LinkTest[] {
  const { status, createdAfter, createdBefore, passwordSet, maxClicksSet, search } = filter;
  const tests: LinkTest[] = [];
  if (status !== undefined) tests.push((link) => reported(link, now) === status);
  if (passwordSet !== undefined) tests.push((link) => link.passwordSet === passwordSet);
  if (maxClicksSet !== undefined) tests.push((link) => link.maxClicksSet === maxClicksSet);
  if (createdAfter !== undefined) tests.push((link) => link.createdAt >= createdAfter);
  if (createdBefore !== undefined) tests.push((link) => link.createdAt <= createdBefore);
  if (search !== undefined && search !== '') tests.push(contains(search));
  return tests;
}

function contains(search: string): LinkTest {
  // A part of the alias or of the address, not of both: the line feed between them is no part.
  if (search.includes('\n')) return () => false;
  const wanted = search.toLowerCase();
  return (link) => link.text.includes(wanted);
}

function reported(link: ListedLink, now: number): LinkStatus {
  return link.expireAfter <= now ? 'INACTIVE' : link.status;
}
