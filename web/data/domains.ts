import { api, bodyOf, type Schemas } from '../api/client';
import { type Query, useQuery } from './query';

export type Domain = Schemas['DomainResponse'];

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
