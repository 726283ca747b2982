import { useKept, useQuery } from '../../data/query';
import { api, bodyOf } from '../../api/client';
import { count } from '../../format';
import { Pager } from '../../parts/pager';
import { Problem } from '../../parts/problem';
import { ScreenHead } from '../../parts/screen-head';
import { Skeleton } from '../../parts/skeleton';
import { Ago } from '../../parts/time';
import { goWith, Link, usePlace } from '../../router';
import { texts } from '../../texts';
import { ImportForm } from './import-form';
import { OneImport } from './one-import';
import { nameOf } from './sources';
import { originOf, stateOf, writtenBy, type Import } from './standing';
import { words } from './texts';

const PAGE_SIZE = 20;

export default function ImportScreen({ id }: { id: string }) {
  return id === '' ? <Imports /> : <OneImport id={id} />;
}

function Imports() {
  return (
    <>
      <ScreenHead title={texts.nav.import} lead={words.lead} />
      <ImportForm />
      <Earlier />
    </>
  );
}

function Earlier() {
  const page = Math.max(Number.parseInt(usePlace().search.get('page') ?? '', 10) || 1, 1);
  const params = { query: { page, pageSize: PAGE_SIZE } };
  const found = useQuery(`imports:${page}`, () => bodyOf(api.GET('/api/v1/imports', { params })));
  const shown = useKept(found.value);
  return (
    <>
      <Problem failure={found.failure} retry={found.reload} />
      {shown === undefined && found.failure === null && <Skeleton rows={2} />}
      {shown !== undefined && shown.items.length > 0 && (
        <>
          <h2 id="earlier">{words.earlier}</h2>
          <div class="table-card">
            <table class="list-table" aria-labelledby="earlier">
              <thead>
                <tr>
                  <th scope="col">{words.source}</th>
                  <th scope="col">{words.state}</th>
                  <th scope="col" class="number">
                    {words.links}
                  </th>
                  <th scope="col" class="wide-only">
                    {words.when}
                  </th>
                </tr>
              </thead>
              <tbody>
                {shown.items.map((one) => (
                  <Row key={one.id} one={one} />
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
      {shown !== undefined && (
        <Pager
          page={page}
          pageSize={PAGE_SIZE}
          total={shown.total}
          turn={(next) => goWith({ page: next === 1 ? null : String(next) })}
        />
      )}
    </>
  );
}

function Row({ one }: { one: Import }) {
  return (
    <tr>
      <th scope="row">
        <Link to={`/import/${one.id}`}>
          <bdi>{originOf(one)}</bdi>
        </Link>
        <span class="hint">{nameOf(one.source)}</span>
      </th>
      <td>{stateOf(one)}</td>
      <td class="number">{count(writtenBy(one))}</td>
      <td class="wide-only">
        <Ago at={new Date(one.created_at * 1000)} />
      </td>
    </tr>
  );
}
