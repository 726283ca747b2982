export const EXPORT_FORMATS = ['csv', 'xlsx', 'json', 'xml'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

const TYPES: Record<ExportFormat, string> = {
  json: 'application/json',
  csv: 'application/zip',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xml: 'application/xml',
};

export function contentType(format: ExportFormat): string {
  return TYPES[format];
}

/** Content-Disposition of a file to be saved; emoji names go in the form of RFC 6266. */
export function attachment(stem: string, format: ExportFormat): string {
  const ending = format === 'csv' ? '-csv.zip' : `.${format}`;
  const name = `${stem}${ending}`;
  if (/^[\x20-\x7e]*$/.test(name)) return `attachment; filename="${name}"`;
  const plain = `curtail-export${ending}`;
  return `attachment; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(name)}`;
}
