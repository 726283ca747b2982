export const EXPORT_FORMATS = ['csv', 'xlsx', 'json', 'xml'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];
