import type { ComponentChildren } from 'preact';
import type { Query } from '../../data/query';
import { Empty } from '../../parts/empty';
import type { IconName } from '../../parts/icons';
import { Pager } from '../../parts/pager';
import { Problem } from '../../parts/problem';
import { Skeleton } from '../../parts/skeleton';
import { turnTo } from './search';

interface Page<Item> {
  readonly items: readonly Item[];
  readonly total: number;
  readonly pageSize: number;
}

export function ListPage<Item>({
  found,
  shown,
  page,
  rows,
  none,
  children,
}: {
  found: Pick<Query<unknown>, 'failure' | 'reload'>;
  /** Current page, or the previous page while the next one is loading. */
  shown: Page<Item> | undefined;
  page: number;
  /** Number of placeholder rows until the first page is loaded. */
  rows: number;
  none: { icon: IconName; title: string };
  children: (items: readonly Item[]) => ComponentChildren;
}) {
  return (
    <>
      <Problem failure={found.failure} retry={found.reload} />
      {shown === undefined && found.failure === null && <Skeleton rows={rows} />}
      {shown?.items.length === 0 && <Empty {...none} />}
      {shown !== undefined && shown.items.length > 0 && children(shown.items)}
      {shown !== undefined && (
        <Pager page={page} pageSize={shown.pageSize} total={shown.total} turn={turnTo} />
      )}
    </>
  );
}
