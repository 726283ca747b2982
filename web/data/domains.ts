import { api, bodyOf, type Schemas } from '../api/client';
import { bare } from '../format';
import { features } from './first-answer';
import { type Query, useQuery } from './query';

export type Domain = Schemas['DomainResponse'];

/** Returns the host for short URLs, with the port. @param domain null for the service's own host */
export function hostOf(domain: string | null): string {
  if (domain === null) return bare(features.base_url);
  const { port } = new URL(features.base_url);
  return port === '' ? domain : `${domain}:${port}`;
}

/** Returns the host of a pasted URL; other text unchanged. */
export const hostIn = (text: string): string =>
  text
    .trim()
    .replace(/^https?:\/\/([^/?#:]+).*$/i, '$1')
    .replace(/\/.*$/, '');

/** Returns a link's alias, preceded by its domain if the link is on a custom domain. */
export const labelOf = ({ alias, domain }: { alias: string; domain: string | null }): string =>
  domain === null ? alias : `${domain}/${alias}`;

/** Returns all domains, newest first. Accounts with many revoked domains have several pages. */
export function useDomains(): Query<readonly Domain[]> {
  return useQuery('domains', async () => {
    const params = { query: { pageSize: 100 } };
    return (await bodyOf(api.GET('/api/v1/custom-domains', { params }))).items;
  });
}

/** Returns other accounts' shared domains, by name. An installation has at most 100. */
export function useSharedDomains(): Query<readonly Schemas['SharedDomainResponse'][]> {
  return useQuery('domains:shared', async () => {
    const params = { query: { pageSize: 100 } };
    return (await bodyOf(api.GET('/api/v1/custom-domains/shared', { params }))).items;
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

export async function removeDomain(id: string): Promise<void> {
  await bodyOf(api.DELETE('/api/v1/custom-domains/{id}', { params: { path: { id } } }));
}

export async function forgetDomain(id: string): Promise<void> {
  await bodyOf(api.DELETE('/api/v1/custom-domains/{id}/permanent', { params: { path: { id } } }));
}
