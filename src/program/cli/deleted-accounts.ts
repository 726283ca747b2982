import { UsageError } from './cli.errors';

const ID = /^[0-9a-f]{24}$/;

/** Returns the ids in a list of account ids, or of deleted accounts in an exported audit trail. */
export function parseDeletedAccounts(text: string): string[] {
  const lines = text.split('\n').map((line) => line.trim());
  const ids = lines.flatMap((line, i) => {
    if (line === '') return [];
    return ID.test(line) ? [line] : deletedAccount(line, i + 1);
  });
  return [...new Set(ids)];
}

function deletedAccount(line: string, number: number): string[] {
  const fault = new UsageError(`Line ${number} is neither an account id nor a line of the trail`);
  let entry: unknown;
  try {
    entry = JSON.parse(line);
  } catch {
    throw fault;
  }
  if (typeof entry !== 'object' || entry === null || !('act' in entry)) throw fault;
  if (entry.act !== 'account.delete') return [];
  const { subject } = entry as { subject?: { id?: unknown } };
  if (typeof subject?.id !== 'string' || !ID.test(subject.id)) throw fault;
  return [subject.id];
}
