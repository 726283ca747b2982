type ErrorClass<E extends Error> = new (...args: never[]) => E;
type MakeError = (text: string) => Error;

const codes = new Map<unknown, string>();
const texts = new Map<unknown, (error: never) => string>();
const makers = new Map<string, MakeError>();

/**
 * Call in a file that both processes load. Subclasses and other errors arrive as RpcError.
 *
 * @param toText returns the text from which `make` recreates the error; default: the message
 */
export function registerRpcError<E extends Error>(
  thrown: ErrorClass<E>,
  code: string,
  make: MakeError,
  toText: (error: E) => string = ({ message }) => message,
): void {
  if (makers.has(code)) throw new Error(`Two errors have the code '${code}'`);
  codes.set(thrown, code);
  texts.set(thrown, toText);
  makers.set(code, make);
}

export function toRpcText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return texts.get(error.constructor)?.(error as never) ?? error.message;
}

export function codeOfError(error: unknown): string | undefined {
  return error instanceof Error ? codes.get(error.constructor) : undefined;
}

/** Returns undefined if the class is not registered in this process. */
export function errorOfCode(code: string | undefined, message: string): Error | undefined {
  return code === undefined ? undefined : makers.get(code)?.(message);
}
