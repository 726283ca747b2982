import { Injectable } from '@nestjs/common';
import type { Principal } from '../../auth/access';
import { NotFoundError } from '../../common/errors';
import { AppLog } from '../../common/log';
import type { Attempt } from '../../idempotency/attempt';
import { sliceItems } from '../../infrastructure/mongo/many-documents';
import { LinkAddresses } from '../../stores/domains/link-addresses';
import { placeOfKey } from '../../stores/links/alias-form';
import type { Link } from '../../stores/links/link';
import { LinkReads } from '../../stores/links/link-reads.repository';
import { LinkIndex } from '../link-index/link-index';
import { LinkBlockedError } from '../making/links.errors';
import { OtherLinksFoundError, TooManyBulkLinksError } from './bulk.errors';
import { type BulkDeleteDto, type FilterSelection, type Selection, toSelection } from './bulk.dto';
import {
  bulkAnswer,
  type BulkAnswer,
  DONE,
  errorField,
  isUnfinishedRow,
  isUnreachable,
  type LinkRow,
  toVerdict,
} from './bulk.response';

const MAX_FILTERED_LINKS = 1000;
/** Limits the duration of a database statement. */
const LINKS_A_STATEMENT = 250;

export type Target = Pick<Link, 'alias' | 'id'>;

interface Outcomes {
  /** The changed links' aliases, by id. */
  readonly done: Map<string, string>;
  readonly failed: Map<string, unknown>;
}

export type Work = (targets: readonly Target[], outcomes: Outcomes) => Promise<void>;

/** Finds the selected links, applies a change to them in slices, and reports a row per link. */
@Injectable()
export class BulkRunService {
  constructor(
    private readonly reads: LinkReads,
    private readonly index: LinkIndex,
    private readonly addresses: LinkAddresses,
    private readonly log: AppLog,
  ) {}

  readSelection(body: BulkDeleteDto, { ownerId }: Principal): Selection {
    return toSelection(body, this.addresses.placesOf(ownerId));
  }

  /** @param goneIsDone whether a missing link counts as deleted, because the request is a retry */
  async run(
    selection: Selection,
    { ownerId }: Principal,
    attempt: Attempt,
    workFor: () => Work | Promise<Work>,
    goneIsDone = false,
  ): Promise<BulkAnswer<LinkRow>> {
    const found = await attempt.targets(
      'ids' in selection
        ? async () => (await this.reads.findNames(ownerId, selection)).map(({ id }) => id)
        : () => this.search(selection, ownerId),
    );
    const ids = 'ids' in selection ? selection.ids : found;
    const kept = new Map(ids.map((id, i) => [id, attempt.doneRow(i) as LinkRow | undefined]));
    const targets = await this.reads.findNames(ownerId, { ids: found });
    const aliases = new Map(targets.map(({ id, alias }) => [id, alias]));
    const due = ids.flatMap((id) => {
      const alias = aliases.get(id);
      return alias === undefined || kept.get(id) !== undefined ? [] : [{ id, alias }];
    });
    const blocked = await this.reads.blockedAmong(due.map(({ id }) => id));
    const open = due.filter(({ id }) => !blocked.has(id));
    const work = open.length === 0 ? null : await workFor();
    const { done, failed } = await this.runInSlices(open, work);
    for (const id of blocked) failed.set(id, new LinkBlockedError());
    const gone = new Set(goneIsDone ? found.filter((id) => !aliases.has(id)) : []);
    const toRow = (id: string): LinkRow => {
      if (done.has(id) || gone.has(id)) return { id, alias: done.get(id) ?? null, ...DONE };
      const error = failed.get(id);
      if (error === undefined) return { id, alias: null, ...toVerdict(new NotFoundError()) };
      return { id, alias: aliases.get(id) ?? null, ...toVerdict(error), field: errorField(error) };
    };
    const rows = ids.map((id) => kept.get(id) ?? bareAlias(toRow(id)));
    if (rows.some(isUnfinishedRow)) {
      attempt.leaveOpen(rows.map((row) => (isUnfinishedRow(row) ? null : row)));
    }
    return bulkAnswer(rows);
  }

  private async search({ filter, expected }: FilterSelection, ownerId: string): Promise<string[]> {
    const { ids, found } = await this.index.idsMatching(ownerId, filter, MAX_FILTERED_LINKS);
    if (found > MAX_FILTERED_LINKS) throw new TooManyBulkLinksError(found, MAX_FILTERED_LINKS);
    if (ids.length !== expected) throw new OtherLinksFoundError(ids.length, expected);
    return ids;
  }

  /** Throws if no link was changed; otherwise records an error for each failed link. */
  private async runInSlices(targets: readonly Target[], work: Work | null): Promise<Outcomes> {
    const outcomes: Outcomes = { done: new Map(), failed: new Map() };
    const { done, failed } = outcomes;
    let away: unknown = null;
    for (const slice of sliceItems(targets, LINKS_A_STATEMENT)) {
      try {
        if (away !== null) for (const { id } of slice) failed.set(id, away);
        else await work?.(slice, outcomes);
      } catch (error) {
        if (done.size === 0) throw error;
        this.log.warn('Could not change some links in a bulk request', { err: error });
        for (const { id } of slice) if (!done.has(id)) failed.set(id, error);
        if (isUnreachable(error)) away = error;
      }
    }
    return outcomes;
  }
}

function bareAlias(row: LinkRow): LinkRow {
  return row.alias === null ? row : { ...row, alias: placeOfKey(row.alias).alias };
}
