const MAX_LINES = 100;
const MAX_LINE_CHARACTERS = 80;

export interface UnreadableLines {
  total: number;
  lines: { line: number; text: string }[];
}

export function addUnreadable(unreadable: UnreadableLines, line: number, text: string): void {
  unreadable.total += 1;
  if (unreadable.lines.length >= MAX_LINES) return;
  unreadable.lines.push({ line, text: text.trim().slice(0, MAX_LINE_CHARACTERS) });
}
