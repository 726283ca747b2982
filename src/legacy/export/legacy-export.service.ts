import { Injectable } from '@nestjs/common';
import {
  attachment,
  contentType,
  EXPORT_FORMATS,
  type ExportFormat,
} from '../../infrastructure/files/file-formats';
import { FileWriterThread } from '../../infrastructure/files/file-writer.thread';
import type { FileResult } from '../../common/http/http-result';
import { FormatError } from '../refusals/legacy-stats.errors';
import { LegacyStatsService } from '../stats/legacy-stats.service';
import type { StatisticsRequest } from '../stats/statistics-request';
import { legacyFile } from './legacy-tables';

/** Ignores case. Returns null if the format is unknown. */
function formatOfPath(text: string): ExportFormat | null {
  return EXPORT_FORMATS.find((format) => format === text.toLowerCase()) ?? null;
}

function byteOrderMark(text: string | null): boolean {
  if (text === null || text === 'true' || text === 'false') return text === 'true';
  throw new FormatError('bom must be true or false');
}

/** XML files have a different name (docs/contract.md#13.4). */
function disposition(format: ExportFormat): string {
  if (format === 'xml') return 'attachment; filename="data.xml"';
  return attachment('curtail-export', format);
}

@Injectable()
export class LegacyExportService {
  constructor(
    private readonly statistics: LegacyStatsService,
    private readonly writer: FileWriterThread,
  ) {}

  /** Rejects invalid requests before it sends the first byte. */
  async export(requested: StatisticsRequest): Promise<FileResult> {
    const format = formatOfPath(requested.format);
    if (format === null) throw new FormatError();
    const bom = byteOrderMark(requested.input('bom'));
    const stats = await this.statistics.open(requested);
    return {
      kind: 'file',
      contentType: contentType(format),
      disposition: disposition(format),
      open: () => this.writer.write(format, legacyFile(stats), bom),
      close: () => stats.figures.close(),
    };
  }
}
