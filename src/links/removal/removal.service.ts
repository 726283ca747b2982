import { Injectable, OnModuleDestroy, OnModuleInit } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import type { Principal } from '../../auth/principal';
import { LinkClicksDeleter } from '../../clicks/store/link-clicks.deleter';
import { AppLog } from '../../common/log';
import { LinkCache } from '../link-cache';
import { UnknownLinkIdError } from '../links.errors';
import { OwnedLinks } from '../owned-links';
import { RemovalRepository } from './removal.repository';

const SWEEP_MS = 10 * 60_000;
/** Longer than a list in memory goes without asking what was removed. */
const KEPT_MS = 60 * 60_000;

/** Removes what a crash or a click that came late has left of a removed link, and then its note. */
@Injectable()
export class DeletedLinkCleanup implements OnModuleInit, OnModuleDestroy {
  private timer?: NodeJS.Timeout;

  constructor(
    private readonly repository: RemovalRepository,
    private readonly clicks: LinkClicksDeleter,
    private readonly log: AppLog,
  ) {}

  onModuleInit(): void {
    this.timer = setInterval(() => {
      this.sweep().catch((error: unknown) => this.log.debug('No sweep', { err: error }));
    }, SWEEP_MS).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** Several processes may do it at once; a link that is there after all keeps its clicks. */
  async sweep(now = Date.now()): Promise<void> {
    for (;;) {
      const noted = await this.repository.notedBefore(new Date(now - KEPT_MS));
      if (noted.length === 0) return;
      await this.clicks.remove(await this.repository.gone(noted));
      await this.repository.forgetNotes(noted);
    }
  }
}

/** Answer of DELETE /api/v1/urls/{url_id} (docs/contract.md#6.5). */
export class RemovedLinkResponse {
  @ApiProperty({ enum: ['URL deleted'] }) message!: string;
  @ApiProperty() id!: string;
}

/** Removes links with their clicks; the alias is free at once. */
@Injectable()
export class RemovalService {
  constructor(
    private readonly links: OwnedLinks,
    private readonly repository: RemovalRepository,
    private readonly directory: LinkCache,
    private readonly clicks: LinkClicksDeleter,
  ) {}

  async remove(urlId: string, caller: Principal): Promise<RemovedLinkResponse> {
    const link = await this.links.demand(urlId, caller);
    const removed = await this.repository.remove(link.id, caller.userId);
    if (removed === null) throw new UnknownLinkIdError();
    await this.directory.invalidate(...new Set([link.alias, removed.alias]));
    await this.clicks.remove([link.id]);
    return { message: 'URL deleted', id: link.id };
  }
}
