import { useState } from 'preact/hooks';
import { api, bodyOf } from '../../api/client';
import { labelOf } from '../../data/domains';
import { useQuery } from '../../data/query';
import { count } from '../../format';
import { Choice } from '../../parts/form';
import { LinkState } from '../../parts/link-state';
import { Ago } from '../../parts/time';
import { Link, usePlace } from '../../router';
import { BlockHost } from './hosts';
import { type Report, ReportAct, type ReportActName } from './report-act';
import { narrow, pageOf } from './search';
import { AdminList } from './admin-list';
import { words } from './texts';

const STATES = ['open', 'blocked', 'dismissed', 'all'] as const;
const t = words.reports;

export function Reports() {
  const { search } = usePlace();
  const [act, setAct] = useState<{ name: ReportActName; report: Report } | null>(null);
  const [host, setHost] = useState<string | null>(null);
  const state = STATES.find((each) => each === search.get('state')) ?? 'open';
  const query = { ...pageOf(search), state };
  const found = useQuery(`admin:reports:${JSON.stringify(query)}`, () =>
    bodyOf(api.GET('/api/v1/admin/reports', { params: { query } })),
  );
  return (
    <>
      <AdminList
        title={words.screens.reports}
        lead={t.lead}
        filters={
          <div class="pair admin-filters">
            <Choice
              label={t.filter}
              value={state}
              options={STATES.map((each) => [each, t.states[each]] as const)}
              change={(next) => narrow({ state: next === 'open' ? null : next })}
            />
          </div>
        }
        found={found}
        page={query.page}
        none={{ icon: 'check', title: state === 'open' ? t.none : t.noneFound }}
      >
        {(items) => (
          <ul class="reported" aria-label={words.screens.reports}>
            {items.map((report) => (
              <Item
                key={report.id}
                report={report}
                begin={(name) => setAct({ name, report })}
                blockHost={setHost}
              />
            ))}
          </ul>
        )}
      </AdminList>
      {act !== null && <ReportAct {...act} close={() => setAct(null)} />}
      {host !== null && <BlockHost host={host} close={() => setHost(null)} />}
    </>
  );
}

interface ItemProps {
  readonly report: Report;
  readonly begin: (act: ReportActName) => void;
  readonly blockHost: (host: string) => void;
}

function Item({ report, begin, blockHost }: ItemProps) {
  const { url, closed, state } = report;
  const host = url?.destination_hosts[0];
  return (
    <li class="card">
      <h2>{url === null ? t.linkGone : <bdi>{labelOf(url)}</bdi>}</h2>
      {url !== null && <bdi class="destination">{url.long_url}</bdi>}
      <ul class="facts">
        <li>{t.count(count(report.count), report.count)}</li>
        {Object.entries(report.reasons).map(([reason, times]) => (
          <li key={reason}>
            {t.reasons[reason] ?? reason} {count(times)}
          </li>
        ))}
        <li>
          {t.last} <Ago at={new Date(report.last_at)} />
        </li>
        {url !== null && (
          <li>
            <LinkState link={url} />{' '}
            {url.owner === null ? (
              words.noAccount
            ) : (
              <Link to={`/admin/accounts/${url.owner.id}`}>
                {t.owner(url.owner.email ?? words.gone)}
              </Link>
            )}
          </li>
        )}
      </ul>
      {report.entries.length > 0 && <Entries report={report} />}
      {closed !== null && (
        <p class="hint">
          {t.closed(t.states[state], closed.reason)} <Ago at={new Date(closed.at)} />
        </p>
      )}
      {state === 'open' && (
        <div class="actions">
          {url !== null && (
            <button type="button" class="bad small" onClick={() => begin('block')}>
              {t.block}
            </button>
          )}
          {host !== undefined && (
            <button type="button" class="quiet small" onClick={() => blockHost(host)}>
              {t.blockHost}
            </button>
          )}
          <button type="button" class="quiet small" onClick={() => begin('dismiss')}>
            {t.dismiss}
          </button>
        </div>
      )}
    </li>
  );
}

function Entries({ report }: { report: Report }) {
  return (
    <details>
      <summary>{t.said}</summary>
      <ul class="entries">
        {report.entries.map((entry, i) => {
          const who = [entry.account?.email, entry.reporter_email, entry.reporter_org];
          const named = who.filter((each) => each !== null && each !== undefined).join(', ');
          return (
            <li key={i}>
              <p class="hint">
                {t.reasons[entry.reason] ?? entry.reason}
                {entry.vector !== null && ` ${t.vectors[entry.vector]}`} ·{' '}
                {named === '' ? t.anonymous : t.from(named)} · <Ago at={new Date(entry.at)} />
              </p>
              {entry.details !== null && (
                <p>
                  <bdi>{entry.details}</bdi>
                </p>
              )}
            </li>
          );
        })}
      </ul>
    </details>
  );
}
