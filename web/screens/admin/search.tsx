import { Choice } from '../../parts/form';
import { SearchBox } from '../../parts/search-box';
import { goWith, usePlace } from '../../router';
import { words } from './texts';

/** Returns the page in the address, for the API. */
export function pageOf(search: URLSearchParams): { page: number; pageSize: number } {
  const page = Number(search.get('page') ?? 1);
  const isPage = Number.isInteger(page) && page >= 1 && page <= 1_000_000;
  return { page: isPage ? page : 1, pageSize: 25 };
}

/** Returns a filter's text in the address; undefined for none. */
export const textOf = (search: URLSearchParams, name = 'search', most = 253): string | undefined =>
  search.get(name)?.slice(0, most) || undefined;

/** Changes filters and returns to the first page. */
export function narrow(changes: Readonly<Record<string, string | null>>): void {
  goWith({ page: null, ...changes }, 'replace');
}

export const turnTo = (page: number): void => goWith({ page: page === 1 ? null : String(page) });

export function ListSearch({ label }: { label: string }) {
  const current = usePlace().search.get('search') ?? '';
  return <SearchBox label={label} current={current} ask={(search) => narrow({ search })} />;
}

/** @param options texts by value */
export function ChoiceFilter(props: {
  name: string;
  label: string;
  options: Readonly<Record<string, string>>;
}) {
  const { name, label, options } = props;
  const current = usePlace().search.get(name) ?? '';
  return (
    <Choice
      label={label}
      value={current in options ? current : ''}
      options={[['', words.any], ...Object.entries(options)]}
      change={(value) => narrow({ [name]: value })}
    />
  );
}

/** A text filter, which applies on blur or Enter. */
export function TypedFilter({ name, label, hint }: { name: string; label: string; hint: string }) {
  const current = usePlace().search.get(name) ?? '';
  const id = `filter-${name}`;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        key={current}
        id={id}
        type="text"
        defaultValue={current}
        maxLength={500}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        aria-describedby={`${id}-hint`}
        onChange={(event) => narrow({ [name]: event.currentTarget.value.trim() })}
      />
      <p class="hint" id={`${id}-hint`}>
        {hint}
      </p>
    </div>
  );
}
