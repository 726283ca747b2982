type ErrorClass = new (...args: never[]) => Error;
type MakeError = (message: string) => Error;

const codes = new Map<unknown, string>();
const makers = new Map<string, MakeError>();

/** Call in a file that both sides load. Subclasses and other errors arrive as RpcError. */
export function registerRpcError(thrown: ErrorClass, code: string, make: MakeError): void {
  if (makers.has(code)) throw new Error(`Two errors have the code '${code}'`);
  codes.set(thrown, code);
  makers.set(code, make);
}

export function codeOfError(error: unknown): string | undefined {
  return error instanceof Error ? codes.get(error.constructor) : undefined;
}

/** Returns undefined if the class is not registered in this process. */
export function errorOfCode(code: string | undefined, message: string): Error | undefined {
  return code === undefined ? undefined : makers.get(code)?.(message);
}
