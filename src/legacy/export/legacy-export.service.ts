import { Injectable } from '@nestjs/common';
import {
  attachment,
  contentType,
  EXPORT_FORMATS,
  type ExportFormat,
} from '../../infrastructure/files/file-formats';
import { FileWriterThread } from '../../infrastructure/files/file-writer.thread';
import type { FileResult } from '../../common/http/http-result';
import { FormatError } from '../stats/legacy-stats.errors';
import { type LegacyStatsRequest, LegacyStatsService } from '../stats/legacy-stats.service';
import { legacyFile } from './legacy-tables';

/** The format of a path, in any case; null when there is no such format. */
function formatOfPath(text: string): ExportFormat | null {
  return EXPORT_FORMATS.find((format) => format === text.toLowerCase()) ?? null;
}

/** Whether CSV files begin with the UTF-8 mark. */
function byteOrderMark(text: string | null): boolean {
  if (text === null || text === 'true' || text === 'false') return text === 'true';
  throw new FormatError('bom must be true or false');
}

/** Content-Disposition of a v0 file; the XML one has a name of its own (docs/contract.md#13.4). */
function disposition(format: ExportFormat): string {
  if (format === 'xml') return 'attachment; filename="data.xml"';
  return attachment('curtail-export', format);
}

/** Statistics of v0 as files (docs/contract.md#13.4). */
@Injectable()
export class LegacyExportService {
  constructor(
    private readonly statistics: LegacyStatsService,
    private readonly writer: FileWriterThread,
  ) {}

  /** Everything that can be refused is refused before the first byte. */
  async export(
    extension: string,
    mark: string | null,
    requested: LegacyStatsRequest,
  ): Promise<FileResult> {
    const format = formatOfPath(extension);
    if (format === null) throw new FormatError();
    const bom = byteOrderMark(mark);
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
