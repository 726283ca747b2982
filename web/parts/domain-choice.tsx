import { DEFAULT_HOST } from '../../src/links/link-index/link-list';
import { hostOf, useDomains, useSharedDomains } from '../data/domains';
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
 * Returns the chosen domain, the account's active domains and active shared domains.
 * @param chosen '' for the account's default domain
 */
export function useChosenDomain(chosen: string): ChosenDomain {
  const { value: domains = [] } = useDomains();
  const { value: shared = [] } = useSharedDomains();
  const active = domains.filter(({ status }) => status === 'active');
  const others = shared.filter(
    ({ fqdn, status }) => status === 'active' && active.every((own) => own.fqdn !== fqdn),
  );
  const usual = active.find((domain) => domain.is_default)?.fqdn ?? DEFAULT_HOST;
  const value = chosen === '' ? usual : chosen;
  const options = [
    [DEFAULT_HOST, hostOf(null)] as const,
    ...active.map(({ fqdn }) => [fqdn, hostOf(fqdn)] as const),
    ...others.map(({ fqdn }) => [fqdn, texts.domains.sharedName(fqdn)] as const),
  ];
  // A link keeps its domain after the domain has been suspended or is no longer shared.
  const isListed = options.some(([name]) => name === value);
  return {
    value,
    options: isListed ? options : [...options, [value, hostOf(value)]],
    isOffered: options.length > 1 || value !== DEFAULT_HOST,
    domain: value === DEFAULT_HOST ? null : value,
  };
}

interface DomainChoiceProps {
  readonly of: ChosenDomain;
  readonly change: (value: string) => void;
  readonly problem?: string | undefined;
  readonly hint?: string | undefined;
}

/** Shows nothing if there are no active domains to choose. */
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
