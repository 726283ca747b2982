import { useState } from 'preact/hooks';
import { api, bodyOf, type Schemas } from '../../api/client';
import { useKept, useQuery } from '../../data/query';
import { count } from '../../format';
import { Choice } from '../../parts/form';
import { Ago } from '../../parts/time';
import { Link, usePlace } from '../../router';
import { ActDialog } from './act-dialog';
import { ListPage } from './list-page';
import { narrow, pageOf, TypedFilter } from './search';
import { words } from './texts';

type Job = Schemas['AdminJobResponse'];

const PAGE_SIZE = 25;
const RELOAD_MS = 5000;
const t = words.jobs;
const STATES = Object.keys(t.states) as Job['state'][];
const KINDS = Object.keys(t.kinds) as Job['kind'][];

export function Jobs() {
  const { search } = usePlace();
  const [cancelled, setCancelled] = useState<Job | null>(null);
  const query = {
    page: pageOf(search),
    pageSize: PAGE_SIZE,
    state: STATES.find((state) => state === search.get('state')),
    kind: KINDS.find((kind) => kind === search.get('kind')),
    owner: search.get('owner') || undefined,
  };
  const found = useQuery(
    `admin:jobs:${JSON.stringify(query)}`,
    () => bodyOf(api.GET('/api/v1/admin/jobs', { params: { query } })),
    { everyMs: RELOAD_MS },
  );
  const shown = useKept(found.value);
  return (
    <>
      <header class="screen-head">
        <div>
          <h1 tabIndex={-1}>{words.screens.jobs}</h1>
          <p class="lead">{t.lead}</p>
        </div>
      </header>
      <div class="pair admin-filters">
        <Choice
          label={words.state}
          value={query.state ?? ''}
          options={[['', words.any], ...STATES.map((each) => [each, t.states[each]] as const)]}
          change={(state) => narrow({ state })}
        />
        <Choice
          label={t.kind}
          value={query.kind ?? ''}
          options={[['', words.any], ...KINDS.map((each) => [each, t.kinds[each]] as const)]}
          change={(kind) => narrow({ kind })}
        />
        <TypedFilter name="owner" label={words.links.owner} hint={words.links.ownerHint} />
      </div>
      <ListPage
        found={found}
        shown={shown}
        page={query.page}
        rows={6}
        none={{ icon: 'list', title: t.none }}
      >
        {(items) => (
          <div class="table-card" aria-busy={found.value === undefined}>
            <table class="list-table stacked">
              <caption class="unseen">{words.screens.jobs}</caption>
              <thead>
                <tr>
                  <th scope="col">{t.kind}</th>
                  <th scope="col">{words.state}</th>
                  <th scope="col">{words.links.owner}</th>
                  <th scope="col">{t.progress}</th>
                  <th scope="col">{t.created}</th>
                  <th scope="col">{words.actions}</th>
                </tr>
              </thead>
              <tbody>
                {items.map((job) => (
                  <Row key={job.id} job={job} cancel={() => setCancelled(job)} />
                ))}
              </tbody>
            </table>
          </div>
        )}
      </ListPage>
      {cancelled !== null && <CancelJob job={cancelled} close={() => setCancelled(null)} />}
    </>
  );
}

function Row({ job, cancel }: { job: Job; cancel: () => void }) {
  const { owner, error, progress } = job;
  const isUnfinished = ['queued', 'running', 'waiting'].includes(job.state);
  return (
    <tr>
      <th scope="row">{t.kinds[job.kind]}</th>
      <td data-title={words.state}>
        {t.states[job.state]}
        {error !== null && <p class="hint">{error.error}</p>}
      </td>
      <td data-title={words.links.owner}>
        {owner === null ? (
          t.service
        ) : (
          <Link to={`/admin/accounts/${owner.id}`}>
            <bdi>{owner.email ?? words.gone}</bdi>
          </Link>
        )}
      </td>
      <td data-title={t.progress}>
        {t.done[progress.unit](
          count(progress.done),
          progress.total === null ? null : count(progress.total),
        )}
      </td>
      <td data-title={t.created}>
        <Ago at={new Date(job.created_at)} />
      </td>
      <td data-title={words.actions}>
        {isUnfinished && job.kind !== 'account_deletion' ? (
          <button type="button" class="quiet small" onClick={cancel}>
            {t.cancel}
          </button>
        ) : (
          <span class="hint">{words.none}</span>
        )}
      </td>
    </tr>
  );
}

function CancelJob({ job, close }: { job: Job; close: () => void }) {
  const params = { path: { id: job.id } };
  return (
    <ActDialog
      title={t.cancelTitle(t.kinds[job.kind])}
      act={t.cancel}
      hint={t.cancelHint}
      run={async (reason) => {
        const body = reason === '' ? {} : { reason };
        await bodyOf(api.POST('/api/v1/admin/jobs/{id}/cancel', { params, body }));
      }}
      done={t.cancelled}
      close={close}
    />
  );
}
