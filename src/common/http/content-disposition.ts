/** @param plain fallback for clients that only support ASCII */
export function contentDisposition(name: string, plain: string): string {
  if (/^[\x20-\x7e]*$/.test(name)) return `attachment; filename="${name}"`;
  return `attachment; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(name)}`;
}
