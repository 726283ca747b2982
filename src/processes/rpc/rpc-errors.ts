type ErrorClass = new (...args: never[]) => Error;
type MakeError = (message: string) => Error;

const codes = new Map<unknown, string>();
const makers = new Map<string, MakeError>();

/**
 * Has errors of a class, its subclasses left out, reach callers in other processes and threads. To be
 * called once, beside the class, in a file that both sides load: where it is not loaded, and for
 * all other errors, callers meet an RpcError.
 *
 * @param make makes the error that the caller meets, out of the message of the one that was thrown
 */
export function registerRpcError(thrown: ErrorClass, code: string, make: MakeError): void {
  if (makers.has(code)) throw new Error(`Two errors have the code '${code}'`);
  codes.set(thrown, code);
  makers.set(code, make);
}

/** The code of an error's class; undefined without one. */
export function codeOfError(error: unknown): string | undefined {
  return error instanceof Error ? codes.get(error.constructor) : undefined;
}

/** The error that has crossed under a code; undefined where its class is not known. */
export function errorOfCode(code: string | undefined, message: string): Error | undefined {
  return code === undefined ? undefined : makers.get(code)?.(message);
}
