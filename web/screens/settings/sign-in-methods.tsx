import { api, bodyOf, type Schemas } from '../../api/client';
import { account, features } from '../../data/first-answer';
import { outdate, useQuery } from '../../data/query';
import { say, sayFailure } from '../../data/toasts';
import { date } from '../../format';
import { Loading } from '../../parts/skeleton';
import { addressOf } from '../../router';
import { texts } from '../../texts';

export function SignInMethods() {
  const t = texts.settings.methods;
  const found = useQuery('providers', () => bodyOf(api.GET('/oauth/providers')));
  const linked = found.value?.providers ?? [];
  const names = new Map(features.providers.map(({ name, label }) => [name, label]));
  const offered = features.providers.filter(
    ({ name }) => !linked.some(({ provider }) => provider === name),
  );
  const hasPassword = features.password_sign_in && found.value?.password_set !== false;
  const isLast = linked.length === 1 && !hasPassword;
  return (
    <section class="card" aria-labelledby="methods">
      <h2 id="methods">{t.title}</h2>
      <Loading found={found} rows={2} />
      {found.value !== undefined && (
        <ul class="rows">
          {features.password_sign_in && (
            <li>
              <div>
                <strong>{t.password}</strong>
                <span class="hint">{found.value.password_set ? t.isSet : t.isNotSet}</span>
              </div>
            </li>
          )}
          {linked.map(({ provider, email, linked_at: linkedAt }) => (
            <li key={provider}>
              <div>
                <strong>{names.get(provider) ?? provider}</strong>
                <span class="hint">{t.linked(email, date(new Date(linkedAt)))}</span>
              </div>
              {isLast ? (
                <span class="hint">{t.last}</span>
              ) : (
                <button type="button" class="quiet bad small" onClick={() => unlink(provider)}>
                  {t.unlink}
                </button>
              )}
            </li>
          ))}
          {offered.map(({ name, label }) => (
            <li key={name}>
              <div>
                <strong>{label}</strong>
                <span class="hint">{t.notLinked}</span>
              </div>
              <a
                class="button quiet small"
                href={`/oauth/${name}/link?next=${encodeURIComponent(addressOf('/settings'))}`}
              >
                {t.link}
              </a>
            </li>
          ))}
        </ul>
      )}
      {features.providers.length === 0 && <p class="hint">{t.noProviders}</p>}
    </section>
  );
}

function unlink(provider: Schemas['LinkedProviderResponse']['provider']): void {
  const params = { path: { provider_name: provider } };
  bodyOf(api.DELETE('/oauth/providers/{provider_name}/unlink', { params }))
    .then(() => {
      const user = account.get();
      if (user !== null) {
        const rest = user.auth_providers.filter((each) => each.provider !== provider);
        account.set({ ...user, auth_providers: rest });
      }
      say(texts.settings.methods.unlinked);
    })
    .catch(sayFailure)
    .finally(() => outdate('providers'));
}
