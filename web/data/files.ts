export function save({ content, name }: { content: Blob; name: string }): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // Revoked later, so that the browser has time to start the download.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
