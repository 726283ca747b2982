import { api, bodyOf } from '../../api/client';
import { outdate, useQuery } from '../../data/query';
import { say, sayFailure } from '../../data/toasts';
import { dateTime } from '../../format';
import { Loading } from '../../parts/skeleton';
import { Ago } from '../../parts/time';
import { texts } from '../../texts';

export function Sessions() {
  const t = texts.settings.sessions;
  const found = useQuery('sessions', () => bodyOf(api.GET('/auth/sessions')));
  const sessions = found.value?.sessions;
  const others = sessions?.filter(({ current }) => !current).length ?? 0;
  return (
    <section class="card" aria-labelledby="sessions">
      <h2 id="sessions">{t.title}</h2>
      <Loading found={found} rows={3} />
      {sessions !== undefined && (
        <ul class="rows">
          {sessions.map((session) => (
            <li key={session.id}>
              <div>
                <strong>{t.browserOn(session.browser, session.os)}</strong>
                <span class="hint">
                  {session.current ? t.here : <Ago at={new Date(session.last_seen_at)} />}
                  {session.country !== null && ` · ${session.country}`}
                  {' · '}
                  {t.since(dateTime(new Date(session.created_at)))}
                </span>
              </div>
              {!session.current && (
                <button
                  type="button"
                  class="quiet bad small"
                  onClick={() =>
                    end(
                      bodyOf(
                        api.DELETE('/auth/sessions/{id}', { params: { path: { id: session.id } } }),
                      ),
                    )
                  }
                >
                  {t.end}
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      {others > 1 && (
        <button
          type="button"
          class="quiet bad"
          onClick={() => end(bodyOf(api.DELETE('/auth/sessions')))}
        >
          {t.endOthers}
        </button>
      )}
    </section>
  );
}

function end(call: Promise<unknown>): void {
  call
    .then(() => say(texts.settings.sessions.ended))
    .catch(sayFailure)
    .finally(() => outdate('sessions'));
}
