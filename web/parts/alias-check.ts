import { useEffect, useState } from 'preact/hooks';
import { api, bodyOf } from '../api/client';
import { texts } from '../texts';
import { RULES } from './link-problems';

const PAUSE_MS = 400;

/**
 * Checks whether an alias is available, after a pause in typing.
 * @param typed '' for no check
 * @param domain null for the service's own host
 */
export function useAliasCheck(typed: string, domain: string | null) {
  const alias = typed.trim();
  const checked = `${domain ?? ''}/${alias}`;
  const [said, setSaid] = useState<{ checked: string; isFree: boolean; text: string } | null>(null);
  useEffect(() => {
    if (alias.length < RULES.alias.min || alias.length > RULES.alias.max) return;
    const control = new AbortController();
    const timer = setTimeout(() => {
      const params = { query: { alias, ...(domain !== null && { domain }) } };
      bodyOf(api.GET('/api/v1/shorten/check-alias', { params, signal: control.signal }))
        .then(({ available, reason }) =>
          setSaid({
            checked,
            isFree: available,
            text: available ? texts.newLink.free : texts.newLink.taken[reason ?? 'taken'],
          }),
        )
        // Ignores failures, which the form shows when it is submitted.
        .catch(() => undefined);
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      control.abort();
    };
  }, [checked]);
  return said?.checked === checked ? said : null;
}
