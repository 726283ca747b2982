export function save({ content, name }: { content: Blob; name: string }): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // Gives the browser time to start the download.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
