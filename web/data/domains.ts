import { api, bodyOf, type Schemas } from '../api/client';
import { bare } from '../format';
import { features } from './first-answer';
import { type Query, useQuery } from './query';

export type Domain = Schemas['DomainResponse'];

/** Host of the short URLs of a domain, with the port of this service; null = its own. */
export function hostOf(domain: string | null): string {
  if (domain === null) return bare(features.base_url);
  const { port } = new URL(features.base_url);
  return port === '' ? domain : `${domain}:${port}`;
}

/** A link by its alias, with its domain where that is not this service's own host. */
export const labelOf = ({ alias, domain }: { alias: string; domain: string | null }): string =>
  domain === null ? alias : `${domain}/${alias}`;

/** All domains of the account, newest first; they are more than a page only with many revoked ones. */
export function useDomains(): Query<readonly Domain[]> {
  return useQuery('domains', async () => {
    const params = { query: { pageSize: 100 } };
    return (await bodyOf(api.GET('/api/v1/custom-domains', { params }))).items;
  });
}

export function useDomain(id: string): Query<Domain> {
  const params = { path: { id } };
  return useQuery(`domain:${id}`, () => bodyOf(api.GET('/api/v1/custom-domains/{id}', { params })));
}

export async function addDomain(fqdn: string): Promise<Domain> {
  return bodyOf(api.POST('/api/v1/custom-domains', { body: { fqdn } }));
}

export async function checkDomain(id: string): Promise<Domain> {
  const params = { path: { id } };
  return bodyOf(api.POST('/api/v1/custom-domains/{id}/verify', { params }));
}

export async function changeDomain(id: string, body: Schemas['UpdateDomainDto']): Promise<Domain> {
  return bodyOf(api.PATCH('/api/v1/custom-domains/{id}', { params: { path: { id } }, body }));
}

/** Revokes a domain, or removes what was never active. */
export async function removeDomain(id: string): Promise<void> {
  await bodyOf(api.DELETE('/api/v1/custom-domains/{id}', { params: { path: { id } } }));
}

export async function forgetDomain(id: string): Promise<void> {
  await bodyOf(api.DELETE('/api/v1/custom-domains/{id}/permanent', { params: { path: { id } } }));
}
