import { useState } from 'preact/hooks';
import { api, bodyOf, type Schemas } from '../../api/client';
import { useQuery } from '../../data/query';
import { count } from '../../format';
import { Ago } from '../../parts/time';
import { usePlace } from '../../router';
import { ActDialog } from './act-dialog';
import { AdminList, OwnerLink } from './admin-list';
import { ChoiceFilter, pageOf, textOf, TypedFilter } from './search';
import { words } from './texts';

type Job = Schemas['AdminJobResponse'];

const RELOAD_MS = 5000;
const t = words.jobs;
const STATES = Object.keys(t.states) as Job['state'][];
const KINDS = Object.keys(t.kinds) as Job['kind'][];

export function Jobs() {
  const { search } = usePlace();
  const [cancelled, setCancelled] = useState<Job | null>(null);
  const query = {
    ...pageOf(search),
    state: STATES.find((state) => state === search.get('state')),
    kind: KINDS.find((kind) => kind === search.get('kind')),
    owner: textOf(search, 'owner'),
  };
  const found = useQuery(
    `admin:jobs:${JSON.stringify(query)}`,
    () => bodyOf(api.GET('/api/v1/admin/jobs', { params: { query } })),
    { everyMs: RELOAD_MS },
  );
  return (
    <>
      <AdminList
        title={words.screens.jobs}
        lead={t.lead}
        filters={
          <div class="pair admin-filters">
            <ChoiceFilter name="state" label={words.state} options={t.states} />
            <ChoiceFilter name="kind" label={t.kind} options={t.kinds} />
            <TypedFilter name="owner" label={words.links.owner} hint={words.links.ownerHint} />
          </div>
        }
        found={found}
        page={query.page}
        none={{ icon: 'list', title: t.none }}
        keyOf={({ id }) => id}
        columns={[
          { title: t.kind, cell: ({ kind }) => t.kinds[kind] },
          { title: words.state, cell: (job) => <State job={job} /> },
          {
            title: words.links.owner,
            cell: ({ owner }) => (owner === null ? t.service : <OwnerLink owner={owner} />),
          },
          { title: t.progress, cell: ({ progress }) => progressText(progress) },
          { title: t.created, cell: (job) => <Ago at={new Date(job.created_at)} /> },
        ]}
        acts={(job) =>
          canCancel(job) && (
            <button type="button" class="quiet small" onClick={() => setCancelled(job)}>
              {t.cancel}
            </button>
          )
        }
      />
      {cancelled !== null && <CancelJob job={cancelled} close={() => setCancelled(null)} />}
    </>
  );
}

const canCancel = ({ state, kind }: Job): boolean =>
  ['queued', 'running', 'waiting'].includes(state) && kind !== 'account_deletion';

function State({ job: { state, error } }: { job: Job }) {
  return (
    <>
      {t.states[state]}
      {error !== null && <p class="hint">{error.error}</p>}
    </>
  );
}

function progressText({ unit, done, total }: Job['progress']): string {
  return t.done[unit](count(done), total === null ? null : count(total));
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
