import { useEffect, useState } from 'preact/hooks';
import { api, bodyOf, type Schemas } from '../../api/client';
import { useQuery } from '../../data/query';
import { count } from '../../format';
import { Field } from '../../parts/form';
import { Ago } from '../../parts/time';
import { Link, usePlace } from '../../router';
import { ActDialog } from './act-dialog';
import { AdminList } from './admin-list';
import { ListSearch, pageOf, textOf } from './search';
import { words } from './texts';

type Entry = Schemas['BlockedHostResponse'];

const PAUSE_MS = 400;
const t = words.hosts;

export function Hosts() {
  const { search } = usePlace();
  const [isBlocking, setBlocking] = useState(false);
  const [leaving, setLeaving] = useState<Entry | null>(null);
  const query = { ...pageOf(search), search: textOf(search) };
  const found = useQuery(`admin:hosts:${JSON.stringify(query)}`, () =>
    bodyOf(api.GET('/api/v1/admin/blocked-hosts', { params: { query } })),
  );
  return (
    <>
      <AdminList
        title={words.screens.hosts}
        lead={t.lead}
        head={
          <button type="button" class="small" onClick={() => setBlocking(true)}>
            {t.add}
          </button>
        }
        filters={
          <div class="toolbar">
            <ListSearch label={t.search} />
          </div>
        }
        found={found}
        page={query.page}
        none={{ icon: 'search', title: query.search === undefined ? t.none : t.noneFound }}
        keyOf={({ host }) => host}
        columns={[
          { title: t.host, cell: ({ host }) => <bdi>{host}</bdi> },
          { title: words.reason, cell: ({ reason }) => <bdi>{reason ?? words.none}</bdi> },
          { title: t.links, isNumber: true, cell: (entry) => <Links entry={entry} /> },
          {
            title: t.by,
            cell: ({ by }) => <bdi>{by === null ? t.command : (by.email ?? words.gone)}</bdi>,
          },
          { title: t.at, cell: (entry) => <Ago at={new Date(entry.created_at)} /> },
        ]}
        acts={(entry) => (
          <button type="button" class="quiet small" onClick={() => setLeaving(entry)}>
            {t.unblock}
          </button>
        )}
      />
      {isBlocking && <BlockHost close={() => setBlocking(false)} />}
      {leaving !== null && <UnblockHost entry={leaving} close={() => setLeaving(null)} />}
    </>
  );
}

function Links({ entry: { host, links_blocked: links } }: { entry: Entry }) {
  if (links === 0) return <>{count(links)}</>;
  return (
    <Link to="/admin/links" search={new URLSearchParams({ host, status: 'BLOCKED' })}>
      {count(links)}
    </Link>
  );
}

/** @param host null for no request */
const useHost = (host: string | null) =>
  useQuery(host === null ? null : `admin:host:${host}`, () =>
    bodyOf(api.GET('/api/v1/admin/hosts/{host}', { params: { path: { host: host ?? '' } } })),
  );

/** Says how many links lead to the host. */
export function HostCount({ host }: { host: string }) {
  const { value } = useHost(host);
  return <>{value === undefined ? '\u00a0' : leads(value)}</>;
}

const leads = ({ host, links, owners }: Schemas['HostResponse']): string =>
  t.leads(count(links), links, count(owners), owners, host);

/** Shows how many links the host has before it is blocked. */
export function BlockHost({ host = '', close }: { host?: string | undefined; close: () => void }) {
  const [typed, setTyped] = useState(host);
  const [checked, setChecked] = useState(host);
  const [reason, setReason] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setChecked(typed.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const isHost = /[.:]/.test(checked) && checked === typed.trim();
  const { value, failure } = useHost(isHost ? checked : null);
  const run = async (): Promise<void> => {
    const said = reason.trim();
    const body = { host: typed.trim(), ...(said !== '' && { reason: said }) };
    await bodyOf(api.POST('/api/v1/admin/blocked-hosts', { body }));
  };
  return (
    <ActDialog
      title={t.add}
      act={t.block}
      hint={t.hint}
      takesReason="none"
      run={run}
      done={t.blocked}
      close={close}
      isBad
      isComplete={typed.trim() !== ''}
    >
      <Field
        label={t.hostOrUrl}
        name="host"
        value={typed}
        change={setTyped}
        problem={isHost ? failure?.fields['host'] : undefined}
        autocapitalize="none"
        autocomplete="off"
        spellcheck={false}
        data-autofocus
      />
      <p role="status">
        {value === undefined ? '\u00a0' : leads(value)}
        {value !== undefined && value.blocked_by !== null && ` ${t.already[value.blocked_by]}`}
      </p>
      <Field
        label={words.reason}
        name="reason"
        value={reason}
        change={setReason}
        lines={3}
        isOptional
      />
    </ActDialog>
  );
}

function UnblockHost({ entry, close }: { entry: Entry; close: () => void }) {
  const { host, links_blocked: links } = entry;
  const run = async (): Promise<void> => {
    const params = { path: { host } };
    await bodyOf(api.DELETE('/api/v1/admin/blocked-hosts/{host}', { params }));
  };
  return (
    <ActDialog
      title={t.unblockTitle(host)}
      act={t.unblock}
      hint={t.unblockHint}
      takesReason="none"
      run={run}
      done={t.unblocked(host)}
      close={close}
      counts={<li>{t.closes(count(links), links)}</li>}
    />
  );
}
