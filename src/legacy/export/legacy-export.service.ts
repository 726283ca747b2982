import { pipeline } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import { LegacyError } from '../legacy-error';
import { type LegacyStatsRequest, LegacyStatsService } from '../stats/legacy-stats.service';
import { exportFormat, fileHeaders, legacyFile } from './legacy-file';

/** 400: there is no such file format. */
export class FormatError extends LegacyError {
  constructor() {
    super(400, 'FormatError', 'The format must be csv, xlsx, json or xml');
  }
}

/** Statistics of v0 as files (contract 13.4). */
@Injectable()
export class LegacyExportService {
  constructor(private readonly statistics: LegacyStatsService) {}

  /** Everything that can be refused is refused before the first byte. */
  async send(extension: string, asked: LegacyStatsRequest): Promise<void> {
    const { response } = asked;
    const format = exportFormat(extension);
    if (format === null) throw new FormatError();
    const stats = await this.statistics.open(asked);
    try {
      response.status(200);
      for (const [name, value] of fileHeaders(format)) response.setHeader(name, value);
      await pipeline(legacyFile(stats, format), response);
    } catch (error) {
      // Who stops reading has no use for an answer; nothing is wrong here.
      if (!response.destroyed || !isPrematureClose(error)) throw error;
    } finally {
      await stats.figures.close();
    }
  }
}

function isPrematureClose(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
}
