import { pipeline } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import {
  attachment,
  contentType,
  EXPORT_FORMATS,
  type ExportFormat,
} from '../../analytics/export/file-formats';
import { FileWriterThread } from '../../analytics/export/file-writer.thread';
import { LegacyError } from '../legacy.errors';
import { type LegacyStatsRequest, LegacyStatsService } from '../stats/legacy-stats.service';
import { legacyFile } from './legacy-tables';

/** The format of a path, in any case; null when there is no such format. */
export function exportFormat(text: string): ExportFormat | null {
  return EXPORT_FORMATS.find((format) => format === text.toLowerCase()) ?? null;
}

/** Headers of a v0 file; the XML one has a name of its own (docs/contract.md#13.4). */
export function fileHeaders(format: ExportFormat): [name: string, value: string][] {
  const named = attachment('curtail-export', format);
  return [
    ['Content-Type', contentType(format)],
    ['Content-Disposition', format === 'xml' ? 'attachment; filename="data.xml"' : named],
    ['Cache-Control', 'no-store'],
  ];
}

/** 400: there is no such file format. */
export class FormatError extends LegacyError {
  constructor() {
    super(400, 'FormatError', 'The format must be csv, xlsx, json or xml');
  }
}

/** Statistics of v0 as files (docs/contract.md#13.4). */
@Injectable()
export class LegacyExportService {
  constructor(
    private readonly statistics: LegacyStatsService,
    private readonly writer: FileWriterThread,
  ) {}

  /** Everything that can be refused is refused before the first byte. */
  async send(extension: string, asked: LegacyStatsRequest): Promise<void> {
    const { response } = asked;
    const format = exportFormat(extension);
    if (format === null) throw new FormatError();
    const stats = await this.statistics.open(asked);
    try {
      response.status(200);
      for (const [name, value] of fileHeaders(format)) response.setHeader(name, value);
      await pipeline(this.writer.write(format, legacyFile(stats)), response);
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
