import { useState } from 'preact/hooks';
import { api, bodyOf, type Schemas } from '../../api/client';
import { outdate, useQuery } from '../../data/query';
import { Store, useStore } from '../../data/store';
import { say, sayUndoable } from '../../data/toasts';
import { failureOf } from '../../api/failure';
import { count, date } from '../../format';
import { Empty } from '../../parts/empty';
import { Icon } from '../../parts/icons';
import { ScreenHead } from '../../parts/screen-head';
import { Loading } from '../../parts/skeleton';
import { Ago } from '../../parts/time';
import { texts } from '../../texts';
import { NewKey } from './new-key';

type Key = Schemas['ApiKeyResponse'];

/** Keys shown as revoked while the user can still undo it. */
const ending = new Store<ReadonlySet<string>>(new Set());

export default function Keys() {
  const [isMaking, setMaking] = useState(false);
  const found = useQuery('keys', () => bodyOf(api.GET('/api/v1/keys')));
  const leaving = useStore(ending);
  const keys = found.value?.keys
    .filter(({ id }) => !leaving.has(id))
    .sort((a, b) => Number(a.revoked) - Number(b.revoked) || b.created_at - a.created_at);
  const alive = keys?.filter(({ revoked }) => !revoked).length ?? 0;
  const t = texts.keys;
  return (
    <>
      <ScreenHead title={texts.nav.keys} lead={t.lead}>
        {keys !== undefined && keys.length > 0 && (
          <button type="button" onClick={() => setMaking(true)}>
            <Icon name="plus" /> {t.create}
          </button>
        )}
      </ScreenHead>
      <Loading found={found} rows={4} />
      {keys?.length === 0 && (
        <Empty icon="keys" title={t.none}>
          <p>{t.noneHint}</p>
          <button type="button" onClick={() => setMaking(true)}>
            <Icon name="plus" /> {t.create}
          </button>
        </Empty>
      )}
      {keys !== undefined && keys.length > 0 && (
        <>
          <ul class="key-list">
            {keys.map((key) => (
              <KeyCard key={key.id} record={key} />
            ))}
          </ul>
          <p class="hint">{t.used(count(alive))}</p>
        </>
      )}
      {isMaking && <NewKey close={() => setMaking(false)} />}
    </>
  );
}

function KeyCard({ record }: { record: Key }) {
  const t = texts.keys;
  return (
    <li class={record.revoked ? 'card key revoked' : 'card key'}>
      <div>
        <h2>{record.name}</h2>
        {record.description !== null && <p class="description">{record.description}</p>}
        <p class="hint">
          <code>svc_{record.token_prefix}…</code> ·{' '}
          {t.made(date(new Date(record.created_at * 1000)))}
          {' · '}
          {record.last_used_at === null ? (
            t.neverUsed
          ) : (
            <>
              {t.lastUsed} <Ago at={new Date(record.last_used_at * 1000)} />
            </>
          )}
          {record.expires_at !== null && <> · {endText(record.expires_at)}</>}
        </p>
        <ul class="scopes">
          {record.scopes.map((scope) => (
            <li key={scope} title={t.scopes[scope].meaning}>
              {t.scopes[scope].name}
            </li>
          ))}
        </ul>
      </div>
      {record.revoked ? (
        <div class="key-actions">
          <span class="state inactive">{t.revoked}</span>
          <button type="button" class="quiet small" onClick={() => remove(record, 'false')}>
            {t.remove}
          </button>
        </div>
      ) : (
        <button type="button" class="quiet bad small" onClick={() => remove(record, 'true')}>
          {t.revoke}
        </button>
      )}
    </li>
  );
}

function endText(expiresAt: number): string {
  const at = new Date(expiresAt * 1000);
  return at.getTime() > Date.now() ? texts.keys.ends(date(at)) : texts.keys.ended(date(at));
}

/** Revokes the key after ten seconds, unless the user undoes it. */
function remove(record: Key, revoke: 'true' | 'false'): void {
  ending.set(new Set([...ending.get(), record.id]));
  const show = (): void => ending.set(new Set([...ending.get()].filter((id) => id !== record.id)));
  const t = texts.keys;
  sayUndoable(revoke === 'true' ? t.revoking(record.name) : t.removing(record.name), {
    undo: show,
    done: () => {
      const params = { path: { id: record.id }, query: { revoke } };
      bodyOf(api.DELETE('/api/v1/keys/{id}', { params, keepalive: true }))
        .catch((thrown: unknown) =>
          say(t.notRevoked(record.name, failureOf(thrown).said), { isProblem: true }),
        )
        .finally(() => {
          outdate('keys', 'overview');
          show();
        });
    },
  });
}
