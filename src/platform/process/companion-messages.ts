/** The fields of a message besides its `type` and `id`: anything that JSON carries. */
export type Payload = Record<string, unknown>;

/** One message of the channel between a companion process and its parent, either way. */
export interface ChildMessage extends Payload {
  type: string;
}

/** True for objects with a `type`; whatever else arrives on the channel is ignored. */
export function isChildMessage(value: unknown): value is ChildMessage {
  return (
    typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
  );
}

/** The message of an error, or what was thrown instead of one. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
