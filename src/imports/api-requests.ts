import { Injectable } from '@nestjs/common';
import { BadRequestError, UnprocessableError } from '../common/errors';
import { parseUrl } from '../config/url';
import { OutboundClient } from '../infrastructure/outbound/outbound.client';
import { OutboundError } from '../infrastructure/outbound/outbound.errors';
import type { ImportOptions, ImportSource } from './store/import';
import { parseOptions, readSource } from './import-options';
import { toFields } from './reading/json-answer';
import { findApiService } from './sources/import-sources';

const MAX_BASE_URL = 2048;
const MAX_CREDENTIAL = 4096;
const REQUEST_FIELDS = ['source', 'base_url', 'credential', 'options'];

export interface ApiRequest {
  readonly source: ImportSource;
  readonly baseUrl: string;
  readonly credential: string;
  readonly options: ImportOptions;
}

@Injectable()
export class ApiRequests {
  constructor(private readonly outbound: OutboundClient) {}

  /** @throws CurtailError */
  async read(body: unknown): Promise<ApiRequest> {
    const fields = toFields(body);
    if (fields === null) throw UnprocessableError.forField('source', 'is missing');
    const unknown = Object.keys(fields).find((name) => !REQUEST_FIELDS.includes(name));
    if (unknown !== undefined) {
      throw UnprocessableError.forField(
        unknown,
        `is unknown; the fields are ${REQUEST_FIELDS.join(', ')}`,
      );
    }
    const source = readSource(fields.source);
    const service = findApiService(source);
    if (service === null) throw UnprocessableError.forField('file', 'is missing');
    const credential = readCredential(fields.credential);
    const options = parseOptions(fields.options);
    const baseUrl = readBaseUrl(fields.base_url ?? service.baseUrl);
    await this.refuseHidden(baseUrl);
    return { source, baseUrl, credential, options };
  }

  /** Rejects addresses that the outbound client refuses to connect to. */
  private async refuseHidden(baseUrl: string): Promise<void> {
    try {
      await this.outbound.check(baseUrl);
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      throw new BadRequestError(`base_url: ${error.message}`, 'base_url');
    }
  }
}

/** @throws UnprocessableError if the credential cannot be sent in an HTTP header */
export function readCredential(value: unknown): string {
  if (value === undefined || value === null || value === '') {
    throw UnprocessableError.forField('credential', 'is missing');
  }
  const isText = typeof value === 'string' && value.length <= MAX_CREDENTIAL;
  const text = isText ? value.trim() : '';
  if (!/^[\x21-\x7e]+$/.test(text)) {
    const problem = `must be a key of at most ${MAX_CREDENTIAL} letters, digits and symbols`;
    throw UnprocessableError.forField('credential', problem);
  }
  return text;
}

function readBaseUrl(value: unknown): string {
  if (value === undefined || value === null || value === '') {
    throw UnprocessableError.forField('base_url', 'is missing');
  }
  const url = typeof value === 'string' && value.length <= MAX_BASE_URL ? parseUrl(value) : null;
  const isWeb = url !== null && /^https?:$/.test(url.protocol) && url.search + url.hash === '';
  if (!isWeb) {
    const problem = `must be an http(s) URL of at most ${MAX_BASE_URL} characters`;
    throw UnprocessableError.forField('base_url', problem);
  }
  return url.href;
}
