import type { ImportSource } from '../import';

/** A service whose API is read (docs/contract.md#22.1). */
export interface ApiService {
  /** Its address; null where everybody has a service of their own. */
  readonly baseUrl: string | null;
  /** Headers that prove who asks. */
  readonly headers: (credential: string) => Readonly<Record<string, string>>;
}

const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });

const API_SERVICES: Readonly<Partial<Record<ImportSource, ApiService>>> = {
  shlink_api: { baseUrl: null, headers: (key) => ({ 'X-Api-Key': key }) },
  bitly_api: { baseUrl: 'https://api-ssl.bitly.com', headers: bearer },
  spoo_api: { baseUrl: 'https://spoo.me', headers: bearer },
  kutt_api: { baseUrl: null, headers: (key) => ({ 'X-API-Key': key }) },
};

/** The service of a source; null for one that is a file. */
export function findApiService(source: ImportSource): ApiService | null {
  return API_SERVICES[source] ?? null;
}
