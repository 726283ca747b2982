/**
 * Content-Disposition of a file to be saved; emoji names go in the form of RFC 6266.
 *
 * @param plain for programs that know no other letters than those of ASCII
 */
export function contentDisposition(name: string, plain: string): string {
  if (/^[\x20-\x7e]*$/.test(name)) return `attachment; filename="${name}"`;
  return `attachment; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(name)}`;
}
