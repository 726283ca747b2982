import { api, bodyOf, type Schemas } from '../../api/client';
import { useQuery } from '../../data/query';
import { count } from '../../format';
import { ScreenHead } from '../../parts/screen-head';
import { Loading } from '../../parts/skeleton';
import { Ago } from '../../parts/time';
import { words } from './texts';

type List = Schemas['ListsResponse']['hosts'];

const ASK_EVERY_MS = 5000;
const t = words.lists;

export function Lists() {
  const found = useQuery('admin:lists', () => bodyOf(api.GET('/api/v1/admin/lists')), {
    everyMs: ASK_EVERY_MS,
  });
  return (
    <>
      <ScreenHead title={words.screens.lists} lead={t.lead} />
      <Loading found={found} rows={4} />
      {found.value !== undefined && (
        <>
          <OneList title={t.hosts} setting="BLOCKED_HOSTS_FILE" list={found.value.hosts} />
          <OneList title={t.urls} setting="BLOCKED_URLS_FILE" list={found.value.urls} />
        </>
      )}
    </>
  );
}

function OneList({ title, setting, list }: { title: string; setting: string; list: List }) {
  const { file, unreadable, walk } = list;
  return (
    <section class="card">
      <h2>{title}</h2>
      {list.error !== null && (
        <div class="problem" role="alert">
          <p>{list.error}</p>
        </div>
      )}
      {file === null ? (
        <p class="hint">{t.unset(setting)}</p>
      ) : (
        <dl class="figures">
          <div>
            <dt>{t.file}</dt>
            <dd>
              <bdi>{file}</bdi>
            </dd>
          </div>
          <div>
            <dt>{t.entries}</dt>
            <dd>{count(list.entries)}</dd>
          </div>
          <div>
            <dt>{t.blocked}</dt>
            <dd>{count(list.links_blocked)}</dd>
          </div>
          <div>
            <dt>{t.loaded}</dt>
            <dd>{list.loaded_at === null ? words.none : <Ago at={new Date(list.loaded_at)} />}</dd>
          </div>
        </dl>
      )}
      {walk.state === 'running' && (
        <p role="status">
          {t.walk}:{' '}
          {walk.total === null
            ? t.walkedSome(count(walk.done))
            : t.walked(count(walk.done), count(walk.total))}
          <progress
            aria-label={t.walking}
            max={walk.total ?? undefined}
            value={walk.total === null ? undefined : Math.min(walk.done, walk.total)}
          />
        </p>
      )}
      {unreadable.total > 0 && (
        <details>
          <summary>{t.unreadable(count(unreadable.total), unreadable.total)}</summary>
          <div class="scroll">
            <table class="numbers">
              <thead>
                <tr>
                  <th scope="col">{t.line}</th>
                  <th scope="col">{t.text}</th>
                </tr>
              </thead>
              <tbody>
                {unreadable.lines.map(({ line, text }) => (
                  <tr key={line}>
                    <th scope="row">{count(line)}</th>
                    <td>
                      <code>{text}</code>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </details>
      )}
    </section>
  );
}
