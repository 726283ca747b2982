import { DEFAULT_HOST } from '../../src/links/link-index/link-list';
import { hostOf, useDomains } from '../data/domains';
import { texts } from '../texts';
import { Choice } from './form';

export interface ChosenDomain {
  readonly value: string;
  readonly options: readonly (readonly [string, string])[];
  /** Whether the account can choose between domains. */
  readonly isOffered: boolean;
  /** Domain name; null for the service's own host. */
  readonly domain: string | null;
}

/**
 * Returns the chosen domain and the account's active domains.
 * @param chosen '' for the account's default domain
 */
export function useChosenDomain(chosen: string): ChosenDomain {
  const { value: domains = [] } = useDomains();
  const active = domains.filter(({ status }) => status === 'active');
  const usual = active.find((domain) => domain.is_default)?.fqdn ?? DEFAULT_HOST;
  const value = chosen === '' ? usual : chosen;
  return {
    value,
    options: [
      [DEFAULT_HOST, hostOf(null)],
      ...active.map(({ fqdn }) => [fqdn, hostOf(fqdn)] as const),
    ],
    isOffered: active.length > 0 || value !== DEFAULT_HOST,
    domain: value === DEFAULT_HOST ? null : value,
  };
}

interface DomainChoiceProps {
  readonly of: ChosenDomain;
  readonly change: (value: string) => void;
  readonly problem?: string | undefined;
  readonly hint?: string | undefined;
}

/** Shows nothing if the account has no active domains. */
export function DomainChoice({ of, change, problem, hint }: DomainChoiceProps) {
  if (!of.isOffered) return null;
  return (
    <Choice
      label={texts.domains.name}
      name="domain"
      value={of.value}
      options={of.options}
      change={change}
      problem={problem}
      hint={hint}
    />
  );
}
