import { type CustomDecorator, SetMetadata } from '@nestjs/common';

/** A request body that works as it stands, as far as no alias in it is taken. */
interface RequestExample {
  readonly summary: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** Texts of a route in the API description. */
export interface OperationText {
  /** Name of the call in generated clients, in the field's words: `createLink`. */
  readonly id: string;
  /** A few words, for lists of operations. */
  readonly summary: string;
  /** Facts that a caller has to know beside parameters and responses. Markdown. */
  readonly description: string;
  /** New programs use another operation, as the words or those of its tag say. */
  readonly deprecated?: true;
  /** Bodies by name; the first is what a reader of the document tries out. */
  readonly examples?: Readonly<Record<string, RequestExample>>;
  /** Schemas of bodies in further media types. */
  readonly otherBodies?: Readonly<Record<string, object>>;
  /** HEAD on the same path, where it does more than GET without a body. */
  readonly head?: Omit<OperationText, 'examples' | 'head' | 'otherBodies'>;
}

export const OPERATION = 'curtail:operation';

/** Names and explains a route; one without is missing from the API description, which a test finds. */
export function Operation(text: OperationText): CustomDecorator {
  return SetMetadata(OPERATION, text);
}
