/** Hands a file to the browser, as if it had been downloaded. */
export function save({ content, name }: { content: Blob; name: string }): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // After the browser has taken it.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
