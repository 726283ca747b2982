import { api, bodyOf, fileOf, type Schemas } from '../../api/client';
import { save } from '../../data/files';
import { useKept, useQuery } from '../../data/query';
import { sayFailure } from '../../data/toasts';
import { dateTime } from '../../format';
import { Choice } from '../../parts/form';
import { Icon } from '../../parts/icons';
import { usePlace } from '../../router';
import { narrow, pageOf } from './search';
import { ListPage } from './list-page';
import { words } from './texts';

type Entry = Schemas['AuditEntryResponse'];

const PAGE_SIZE = 25;
const EXPORT = '/api/v1/admin/trail/export';
const ACTS = Object.keys(words.trail.acts) as Entry['act'][];
const t = words.trail;

export function Trail() {
  const { search } = usePlace();
  const id = (name: string): string | undefined =>
    /^[0-9a-f]{24}$/.exec(search.get(name) ?? '')?.[0];
  const query = {
    page: pageOf(search),
    pageSize: PAGE_SIZE,
    act: ACTS.find((act) => act === search.get('act')),
    actor: id('actor'),
    subject: id('subject'),
  };
  const found = useQuery(`admin:trail:${JSON.stringify(query)}`, () =>
    bodyOf(api.GET('/api/v1/admin/trail', { params: { query } })),
  );
  const shown = useKept(found.value);
  const isNarrowed = query.actor !== undefined || query.subject !== undefined;
  return (
    <>
      <header class="screen-head">
        <div>
          <h1 tabIndex={-1}>{words.screens.trail}</h1>
          <p class="lead">{t.lead}</p>
        </div>
        <a
          class="button quiet small"
          href={EXPORT}
          download
          onClick={(event) => {
            event.preventDefault();
            fileOf(EXPORT).then(save).catch(sayFailure);
          }}
        >
          <Icon name="download" /> {t.export}
        </a>
      </header>
      <div class="pair admin-filters">
        <Choice
          label={t.act}
          value={query.act ?? ''}
          options={[['', words.any], ...ACTS.map((act) => [act, t.acts[act]] as const)]}
          change={(act) => narrow({ act })}
        />
      </div>
      {isNarrowed && (
        <p>
          {t.narrowed}{' '}
          <button
            type="button"
            class="plain"
            onClick={() => narrow({ actor: null, subject: null, act: null })}
          >
            {words.clear}
          </button>
        </p>
      )}
      <ListPage
        found={found}
        shown={shown}
        page={query.page}
        rows={6}
        none={{
          icon: 'list',
          title: isNarrowed || query.act !== undefined ? t.noneFound : t.none,
        }}
      >
        {(items) => (
          <div class="table-card" aria-busy={found.value === undefined}>
            <table class="list-table stacked">
              <caption class="unseen">{words.screens.trail}</caption>
              <thead>
                <tr>
                  <th scope="col">{t.act}</th>
                  <th scope="col">{t.subject}</th>
                  <th scope="col">{words.reason}</th>
                  <th scope="col">{t.change}</th>
                  <th scope="col">{t.actor}</th>
                  <th scope="col">{t.at}</th>
                </tr>
              </thead>
              <tbody>
                {items.map((entry) => (
                  <Row key={entry.id} entry={entry} />
                ))}
              </tbody>
            </table>
          </div>
        )}
      </ListPage>
    </>
  );
}

function Row({ entry }: { entry: Entry }) {
  const { actor, subject, before, after } = entry;
  const subjectName = subject.alias ?? subject.email ?? subject.id;
  return (
    <tr>
      <th scope="row">{t.acts[entry.act]}</th>
      <td data-title={t.subject}>
        <button
          type="button"
          class="plain owner"
          title={t.about(subjectName)}
          onClick={() => narrow({ subject: subject.id })}
        >
          <bdi>{subjectName}</bdi>
        </button>
      </td>
      <td data-title={words.reason}>
        {entry.reason === null ? <span class="hint">{words.none}</span> : <bdi>{entry.reason}</bdi>}
      </td>
      <td data-title={t.change}>
        <bdi>{changeOf(before, after)}</bdi>
      </td>
      <td data-title={t.actor}>
        {actor.id === null ? (
          t.vias[actor.via]
        ) : (
          <button
            type="button"
            class="plain owner"
            title={t.by(actor.email ?? actor.id)}
            onClick={() => narrow({ actor: actor.id })}
          >
            {actor.email ?? words.gone}
          </button>
        )}
      </td>
      <td data-title={t.at}>
        <time dateTime={entry.at}>{dateTime(new Date(entry.at))}</time>
      </td>
    </tr>
  );
}

/** Returns stored values, such as `status: ACTIVE → BLOCKED`. */
function changeOf(before: Entry['before'], after: Entry['after']): string {
  const [was, is] = [before ?? {}, after ?? {}] as Record<string, unknown>[];
  const names = [...new Set([...Object.keys(was ?? {}), ...Object.keys(is ?? {})])];
  const text = (value: unknown): string =>
    value === undefined ? '–' : typeof value === 'string' ? value : JSON.stringify(value);
  return names.map((name) => `${name}: ${text(was?.[name])} → ${text(is?.[name])}`).join(', ');
}
