import { useEffect, useState } from 'preact/hooks';
import { api, bodyOf, type Schemas } from '../../api/client';
import { useKept, useQuery } from '../../data/query';
import { count } from '../../format';
import { Field } from '../../parts/form';
import { Ago } from '../../parts/time';
import { usePlace } from '../../router';
import { ActDialog } from './act-dialog';
import { ListPage } from './list-page';
import { ListSearch, pageOf } from './search';
import { words } from './texts';

const PAGE_SIZE = 25;
const PAUSE_MS = 400;
const t = words.hosts;

export function Hosts() {
  const { search } = usePlace();
  const [isBlocking, setBlocking] = useState(false);
  const [leaving, setLeaving] = useState<string | null>(null);
  const text = search.get('search')?.slice(0, 253) ?? '';
  const query = { page: pageOf(search), pageSize: PAGE_SIZE, ...(text !== '' && { search: text }) };
  const found = useQuery(`admin:hosts:${JSON.stringify(query)}`, () =>
    bodyOf(api.GET('/api/v1/admin/blocked-hosts', { params: { query } })),
  );
  const shown = useKept(found.value);
  return (
    <>
      <header class="screen-head">
        <div>
          <h1 tabIndex={-1}>{words.screens.hosts}</h1>
          <p class="lead">{t.lead}</p>
        </div>
        <button type="button" class="small" onClick={() => setBlocking(true)}>
          {t.add}
        </button>
      </header>
      <div class="toolbar">
        <ListSearch label={t.search} />
      </div>
      <ListPage
        found={found}
        shown={shown}
        page={query.page}
        rows={4}
        none={{ icon: 'search', title: text === '' ? t.none : t.noneFound }}
      >
        {(items) => (
          <div class="table-card" aria-busy={found.value === undefined}>
            <table class="list-table stacked">
              <caption class="unseen">{words.screens.hosts}</caption>
              <thead>
                <tr>
                  <th scope="col">{t.host}</th>
                  <th scope="col">{words.reason}</th>
                  <th scope="col" class="number">
                    {t.links}
                  </th>
                  <th scope="col">{t.by}</th>
                  <th scope="col">{t.at}</th>
                  <th scope="col">
                    <span class="unseen">{words.actions}</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {items.map((entry) => (
                  <Row key={entry.host} entry={entry} unblock={() => setLeaving(entry.host)} />
                ))}
              </tbody>
            </table>
          </div>
        )}
      </ListPage>
      {isBlocking && <BlockHost close={() => setBlocking(false)} />}
      {leaving !== null && <UnblockHost host={leaving} close={() => setLeaving(null)} />}
    </>
  );
}

function Row(props: { entry: Schemas['BlockedHostResponse']; unblock: () => void }) {
  const { host, reason, by, created_at, links_blocked } = props.entry;
  return (
    <tr>
      <th scope="row">
        <bdi>{host}</bdi>
      </th>
      <td data-title={words.reason}>{reason ?? words.none}</td>
      <td data-title={t.links} class="number">
        {count(links_blocked)}
      </td>
      <td data-title={t.by}>
        <bdi>{by === null ? t.command : (by.email ?? words.gone)}</bdi>
      </td>
      <td data-title={t.at}>
        <Ago at={new Date(created_at)} />
      </td>
      <td class="acts">
        <button type="button" class="quiet small" onClick={props.unblock}>
          {t.unblock}
        </button>
      </td>
    </tr>
  );
}

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
  const { value, failure } = useQuery(isHost ? `admin:host:${checked}` : null, () =>
    bodyOf(api.GET('/api/v1/admin/hosts/{host}', { params: { path: { host: checked } } })),
  );
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
        {value === undefined
          ? '\u00a0'
          : t.leads(count(value.links), value.links, count(value.owners), value.owners, value.host)}
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

function UnblockHost({ host, close }: { host: string; close: () => void }) {
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
    />
  );
}
