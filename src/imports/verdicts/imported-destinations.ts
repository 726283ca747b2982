import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { HttpOptions } from '../../config/options';
import { BlockedDestinations } from '../../blocklists/blocked-destinations';
import { destinationAddresses } from '../../destinations/destination-rules';
import {
  isWebAddress,
  MAX_IMPORTED_URL,
  ownSegment,
  refuseAppAddress,
  refuseDestination,
} from '../../links/making/destination';
import { nestedUrls } from '../../stores/links/nested-urls';
import { DestinationError } from '../../links/making/links.errors';
import type { Import, ImportVerdict } from '../store/import';
import { type ImportReader, wantedRows } from '../reading/import-reader';
import { type SourceLink, type SourceSettings, validAlias } from '../reading/source-link';

const MAX_CHAIN = 20;
/** Maximum characters of aliases and of destinations to hold in memory per import. */
const MAX_HELD_BYTES = 16 * 1024 * 1024;

export interface ReadSource {
  readonly of: Import;
  readonly reader: ImportReader;
  readonly checkLease: () => void;
}

interface Refused {
  readonly verdict: ImportVerdict;
  readonly message: string;
}

interface Accepted {
  readonly longUrl: string;
  readonly message: string | null;
}

/** A destination may be an alias that any other row in the source imports. */
@Injectable()
export class ImportedDestinations {
  private readonly held = new LRUCache<string, ReadonlyMap<string, string>>({ max: 4 });

  constructor(
    private readonly blocked: BlockedDestinations,
    private readonly http: HttpOptions,
  ) {}

  forget({ id }: Import): void {
    this.held.delete(id);
  }

  async judge(source: ReadSource, longUrl: string): Promise<Accepted | Refused> {
    const refused = await this.refusal(longUrl);
    if (refused === null) return { longUrl, message: null };
    const alias = refused.verdict === 'destination_loop' ? this.ownAlias(longUrl) : null;
    if (alias === null) return refused;
    const end = await this.findDestination(source, alias);
    if (end === null) return refused;
    const message = `It leads to /${alias} of this service: the destination of that link is used`;
    return (await this.refusal(end)) ?? { longUrl: end, message };
  }

  /** Removes settings whose addresses are refused, and returns their names as `refused`. */
  async judgeSettings(
    given: SourceSettings,
  ): Promise<{ settings: SourceSettings; refused: readonly string[] }> {
    const { preStartUrl, expiredRedirectUrl, destinations, ...settings } = given;
    const refused: string[] = [];
    const isSound = async (name: string, url: string, opensApps = false): Promise<boolean> => {
      const isAccepted = await this.accepts(url, opensApps);
      if (!isAccepted) refused.push(name);
      return isAccepted;
    };
    const kept: SourceSettings[] = [settings];
    if (preStartUrl != null && (await isSound('pre_start_url', preStartUrl))) {
      kept.push({ preStartUrl });
    }
    if (expiredRedirectUrl != null && (await isSound('expired_redirect_url', expiredRedirectUrl))) {
      kept.push({ expiredRedirectUrl });
    }
    const before = refused.length;
    for (const { field, url, opensApps } of destinationAddresses(destinations ?? {})) {
      if (!(await isSound(field, url, opensApps))) break;
    }
    if (destinations !== undefined && refused.length === before) kept.push({ destinations });
    return { settings: Object.assign({}, ...kept) as SourceSettings, refused };
  }

  private async accepts(url: string, opensApps: boolean): Promise<boolean> {
    if (!opensApps || isWebAddress(url)) return (await this.refusal(url)) === null;
    try {
      refuseAppAddress(url);
      for (const nested of nestedUrls(url)) refuseDestination(nested, this.http);
    } catch (error) {
      if (error instanceof DestinationError) return false;
      throw error;
    }
    return (await this.blocked.judge(url)) === 'allowed';
  }

  private async refusal(longUrl: string): Promise<Refused | null> {
    const unusable = this.objection(longUrl);
    if (unusable !== null) return unusable;
    if ((await this.blocked.judge(longUrl)) === 'allowed') return null;
    return { verdict: 'destination_blocked', message: 'This destination is not allowed here' };
  }

  private objection(longUrl: string): Refused | null {
    const verdict = 'destination_unsupported';
    if (longUrl === '') return { verdict, message: 'There is no destination' };
    if (longUrl.length > MAX_IMPORTED_URL) {
      const message = `The destination has more than ${MAX_IMPORTED_URL} characters`;
      return { verdict, message };
    }
    try {
      refuseDestination(longUrl, this.http, 'The destination');
    } catch (error) {
      if (!(error instanceof DestinationError)) throw error;
      const isLoop = error.objection === 'loop';
      return { verdict: isLoop ? 'destination_loop' : verdict, message: error.message };
    }
    return null;
  }

  /** Returns the alias if the destination is a short URL on this service, otherwise null. */
  private ownAlias(longUrl: string): string | null {
    const segment = ownSegment(longUrl, this.http);
    return segment === null ? null : validAlias(segment);
  }

  /** Follows a chain of aliases; null if the chain loops or leads to an unknown alias. */
  private async findDestination(source: ReadSource, from: string): Promise<string | null> {
    const held = this.held.get(source.of.id) ?? (await this.read(source));
    const passed = new Set<string>();
    for (let alias = from; ;) {
      const longUrl = held.get(alias);
      if (longUrl === undefined || passed.has(alias) || passed.size >= MAX_CHAIN) return null;
      passed.add(alias);
      const next = this.ownAlias(longUrl);
      if (next === null) return longUrl;
      alias = next;
    }
  }

  /** Reads all referenced aliases' destinations, each from its first usable row. */
  private async read(source: ReadSource): Promise<ReadonlyMap<string, string>> {
    const wanted = new Set<string>();
    let characters = 0;
    for await (const { longUrl } of readLinks(source)) {
      const alias = longUrl.length > MAX_IMPORTED_URL ? null : this.ownAlias(longUrl);
      if (alias === null || wanted.has(alias) || characters > MAX_HELD_BYTES) continue;
      wanted.add(alias);
      characters += alias.length;
    }
    const held = new Map<string, string>();
    characters = 0;
    for await (const { alias: text, longUrl } of readLinks(source)) {
      const alias = text === null ? null : validAlias(text);
      if (alias === null || !wanted.has(alias) || held.has(alias)) continue;
      const { verdict } = (await this.refusal(longUrl)) ?? {};
      if (characters > MAX_HELD_BYTES || (verdict !== undefined && verdict !== 'destination_loop'))
        continue;
      held.set(alias, longUrl);
      characters += longUrl.length;
    }
    this.held.set(source.of.id, held);
    return held;
  }
}

async function* readLinks({ of, reader, checkLease }: ReadSource): AsyncGenerator<SourceLink> {
  let position: object | null = null;
  let row = 1;
  do {
    checkLease();
    const page = await reader.page(of, position, row);
    for (const found of wantedRows(of, page.rows)) if (!('problem' in found)) yield found;
    [position, row] = [page.next, page.nextRow];
  } while (position !== null);
}
