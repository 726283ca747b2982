import type { ImportSource } from '../import';

export interface ApiService {
  /** Null for self-hosted services. */
  readonly baseUrl: string | null;
  readonly headers: (credential: string) => Readonly<Record<string, string>>;
}

const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });

const API_SERVICES: Readonly<Partial<Record<ImportSource, ApiService>>> = {
  shlink_api: { baseUrl: null, headers: (key) => ({ 'X-Api-Key': key }) },
  bitly_api: { baseUrl: 'https://api-ssl.bitly.com', headers: bearer },
  spoo_api: { baseUrl: 'https://spoo.me', headers: bearer },
  kutt_api: { baseUrl: null, headers: (key) => ({ 'X-API-Key': key }) },
};

/** Null for file sources. */
export function findApiService(source: ImportSource): ApiService | null {
  return API_SERVICES[source] ?? null;
}
