import { api, bodyOf, fileOf, type Schemas } from '../../api/client';
import { save } from '../../data/files';
import { useQuery } from '../../data/query';
import { sayFailure } from '../../data/toasts';
import { count, dateTime } from '../../format';
import { Icon } from '../../parts/icons';
import { Link, usePlace } from '../../router';
import { AdminList } from './admin-list';
import { ChoiceFilter, narrow, pageOf, textOf, TypedFilter } from './search';
import { words } from './texts';

type Entry = Schemas['AuditEntryResponse'];

const EXPORT = '/api/v1/admin/trail/export';
const ACTS = Object.keys(words.trail.acts) as Entry['act'][];
const t = words.trail;

/** Screens with more about a subject. */
const PLACES: Readonly<Record<string, (subject: Entry['subject']) => readonly [string, string]>> = {
  account: ({ id }) => [`/admin/accounts/${id}`, ''],
  host: ({ id }) => ['/admin/links', `host=${encodeURIComponent(id)}`],
  list: () => ['/admin/lists', ''],
  url: ({ alias = '' }) => ['/admin/links', `search=${encodeURIComponent(alias)}`],
};

export function Trail() {
  const { search } = usePlace();
  const query = {
    ...pageOf(search),
    act: ACTS.find((act) => act === search.get('act')),
    actor: /^[0-9a-f]{24}$/.exec(search.get('actor') ?? '')?.[0],
    subject: textOf(search, 'subject'),
  };
  const found = useQuery(`admin:trail:${JSON.stringify(query)}`, () =>
    bodyOf(api.GET('/api/v1/admin/trail', { params: { query } })),
  );
  const isNarrowed = query.actor !== undefined || query.subject !== undefined;
  return (
    <AdminList
      title={words.screens.trail}
      lead={t.lead}
      head={
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
      }
      filters={
        <>
          <div class="pair admin-filters">
            <ChoiceFilter name="act" label={t.act} options={t.acts} />
            <TypedFilter name="subject" label={t.subject} hint={t.subjectHint} />
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
        </>
      }
      found={found}
      page={query.page}
      none={{
        icon: 'list',
        title: isNarrowed || query.act !== undefined ? t.noneFound : t.none,
      }}
      keyOf={({ id }) => id}
      columns={[
        { title: t.act, cell: ({ act }) => t.acts[act] },
        { title: t.subject, cell: ({ subject }) => <Subject subject={subject} /> },
        { title: t.details, cell: (entry) => <Details entry={entry} /> },
        { title: t.actor, cell: ({ actor }) => <Actor actor={actor} /> },
        {
          title: t.at,
          cell: ({ at }) => <time dateTime={at}>{dateTime(new Date(at))}</time>,
        },
      ]}
    />
  );
}

function Subject({ subject }: { subject: Entry['subject'] }) {
  const name = subject.alias ?? subject.email ?? subject.id;
  const [path, filters] = PLACES[subject.kind]?.(subject) ?? [];
  return (
    <>
      <button
        type="button"
        class="plain owner"
        title={t.about(name)}
        onClick={() => narrow({ subject: subject.id })}
      >
        <bdi>{subject.kind === 'list' ? (t.lists[name] ?? name) : name}</bdi>
      </button>
      <span class="hint">
        {t.kinds[subject.kind] ?? subject.kind}
        {path !== undefined && (
          <>
            {' · '}
            <Link to={path} search={new URLSearchParams(filters)}>
              {t.goTo[subject.kind]}
            </Link>
          </>
        )}
      </span>
    </>
  );
}

function Details({ entry: { reason, before, after } }: { entry: Entry }) {
  const changes = changesOf(before, after);
  if (reason === null && changes === '') return <span class="hint">{words.none}</span>;
  return (
    <>
      {reason !== null && <bdi>{reason}</bdi>}
      {changes !== '' && (
        <span class="hint">
          <bdi>{changes}</bdi>
        </span>
      )}
    </>
  );
}

function Actor({ actor }: { actor: Entry['actor'] }) {
  const { id, email, via } = actor;
  if (id === null) return <>{t.vias[via]}</>;
  return (
    <button
      type="button"
      class="plain owner"
      title={t.by(email ?? id)}
      onClick={() => narrow({ actor: id })}
    >
      {email ?? words.gone}
    </button>
  );
}

/** Describes the changed fields, such as `Status: Active → Blocked`. */
function changesOf(before: Entry['before'], after: Entry['after']): string {
  const [was, is] = [before ?? {}, after ?? {}] as Record<string, unknown>[];
  const names = [...new Set([...Object.keys(was ?? {}), ...Object.keys(is ?? {})])];
  const shown = names.filter((name) => name !== 'reason' && name !== 'deletes_at');
  return shown
    .map((name) => {
      const values = [was?.[name], is?.[name]].flatMap((value) =>
        value === undefined ? [] : wordFor(value),
      );
      return `${t.fields[name] ?? name}: ${values.join(' → ')}`;
    })
    .join(', ');
}

function wordFor(value: unknown): string {
  if (typeof value === 'number') return count(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return t.values[text.toLowerCase()] ?? text;
}
