import type { ComponentChildren } from 'preact';
import { type Query, useKept } from '../../data/query';
import { count } from '../../format';
import { Empty } from '../../parts/empty';
import type { IconName } from '../../parts/icons';
import { Pager } from '../../parts/pager';
import { Problem } from '../../parts/problem';
import { ScreenHead } from '../../parts/screen-head';
import { Skeleton } from '../../parts/skeleton';
import { Link } from '../../router';
import { turnTo } from './search';
import { words } from './texts';

interface Page<Item> {
  readonly items: readonly Item[];
  readonly total: number;
  readonly pageSize: number;
}

interface ListProps<Item> {
  readonly title: string;
  /** Text below the title, or the function that makes it from the number of items. */
  readonly lead: string | ((count: string, value: number) => string);
  readonly head?: ComponentChildren;
  readonly filters: ComponentChildren;
  readonly found: Query<Page<Item>>;
  readonly page: number;
  readonly none: { readonly icon: IconName; readonly title: string };
}

interface RowProps<Item> {
  readonly keyOf: (item: Item) => string;
  /** The first column contains the row headers. */
  readonly columns: readonly Column<Item>[];
  /** Buttons or a menu at the end of the row. */
  readonly acts?: (item: Item) => ComponentChildren;
}

type Contents<Item> =
  | { readonly children: (items: readonly Item[]) => ComponentChildren }
  | (RowProps<Item> & { readonly boxesOf?: (items: readonly Item[]) => Boxes<Item> });

/** A screen with a page of items. Keeps the previous page while the next one is loading. */
export function AdminList<Item>(props: ListProps<Item> & Contents<Item>) {
  const { title, lead, found, page, none } = props;
  const shown = useKept(found.value);
  return (
    <>
      <ScreenHead
        title={title}
        lead={
          typeof lead === 'string' ? (
            lead
          ) : (
            <p class="lead" role="status">
              {shown === undefined ? '\u00a0' : lead(count(shown.total), shown.total)}
            </p>
          )
        }
      >
        {props.head}
      </ScreenHead>
      {props.filters}
      <Problem failure={found.failure} retry={found.reload} />
      {shown === undefined && found.failure === null && <Skeleton rows={8} />}
      {shown?.items.length === 0 && <Empty {...none} />}
      {shown !== undefined &&
        shown.items.length > 0 &&
        ('children' in props ? (
          props.children(shown.items)
        ) : (
          <AdminTable
            {...props}
            caption={title}
            items={shown.items}
            isLoading={found.value === undefined}
            boxes={props.boxesOf?.(shown.items)}
          />
        ))}
      {shown !== undefined && (
        <Pager page={page} pageSize={shown.pageSize} total={shown.total} turn={turnTo} />
      )}
    </>
  );
}

interface Column<Item> {
  readonly title: string;
  readonly isNumber?: boolean;
  readonly cell: (item: Item) => ComponentChildren;
}

/** A column of checkboxes before the first one. */
interface Boxes<Item> {
  readonly head: ComponentChildren;
  readonly cell: (item: Item) => ComponentChildren;
  readonly isChosen: (item: Item) => boolean;
}

interface TableProps<Item> extends RowProps<Item> {
  readonly caption: string;
  readonly items: readonly Item[];
  readonly isLoading: boolean;
  readonly boxes?: Boxes<Item> | undefined;
}

/** A table whose rows are stacked on phones. */
export function AdminTable<Item>(props: TableProps<Item>) {
  const { items, keyOf, columns, acts, boxes } = props;
  return (
    <div class="table-card" aria-busy={props.isLoading}>
      <table class={`list-table stacked${boxes === undefined ? '' : ' choosable'}`}>
        <caption class="unseen">{props.caption}</caption>
        <thead>
          <tr>
            {boxes !== undefined && <td class="chosen-cell">{boxes.head}</td>}
            {columns.map(({ title, isNumber = false }) => (
              <th key={title} scope="col" class={isNumber ? 'number' : undefined}>
                {title}
              </th>
            ))}
            {acts !== undefined && (
              <th scope="col">
                <span class="unseen">{words.actions}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={keyOf(item)} class={boxes?.isChosen(item) === true ? 'chosen' : undefined}>
              {boxes !== undefined && <td class="chosen-cell">{boxes.cell(item)}</td>}
              {columns.map(({ title, isNumber = false, cell }, i) =>
                i === 0 ? (
                  <th key={title} scope="row">
                    {cell(item)}
                  </th>
                ) : (
                  <td key={title} data-title={title} class={isNumber ? 'number' : undefined}>
                    {cell(item)}
                  </td>
                ),
              )}
              {acts !== undefined && <td class="acts">{acts(item)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The owner's email address, which leads to the account. */
export function OwnerLink({ owner }: { owner: { id: string; email: string | null } | null }) {
  if (owner === null) return <>{words.gone}</>;
  return (
    <Link to={`/admin/accounts/${owner.id}`}>
      <bdi>{owner.email ?? words.gone}</bdi>
    </Link>
  );
}
