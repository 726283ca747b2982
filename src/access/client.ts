import { createParamDecorator, ExecutionContext, Injectable, PipeTransform } from '@nestjs/common';
import type { Request } from 'express';
import { isIPv6 } from 'node:net';
import { ClientAddress } from '../platform/address/client-address';

/** Where a request comes from, for services that never see the request. */
export interface Client {
  readonly address: string;
  /** What limits count by: the address, or the first 64 bits of an IPv6 one (contract 4.1). */
  readonly key: string;
}

@Injectable()
class ClientPipe implements PipeTransform<Request, Client> {
  constructor(private readonly addresses: ClientAddress) {}

  transform(request: Request): Client {
    const address = this.addresses.of(request);
    return { address, key: limitKey(address) };
  }
}

const RequestItself = createParamDecorator((_: unknown, context: ExecutionContext) =>
  context.switchToHttp().getRequest<Request>(),
);

/** Hands the client of a request to a handler. */
export const CurrentClient = (): ParameterDecorator => RequestItself(ClientPipe);

/** The first four groups of an IPv6 address in full, any other text as it is. */
export function limitKey(address: string): string {
  const [plain = ''] = address.split('%');
  if (!isIPv6(plain)) return address;
  const [head = '', tail = ''] = plain.split('::');
  const groups = (half: string): string[] => (half === '' ? [] : half.split(':'));
  const [before, after] = [groups(head), groups(tail)];
  const isShortened = plain.includes('::');
  // Only the last group of an address can be an IPv4 one, and it stands for two.
  const length = (part: string[]): number => part.length + (part.at(-1)?.includes('.') ? 1 : 0);
  const zeros = isShortened ? 8 - length(before) - length(after) : 0;
  return [...before, ...Array.from({ length: zeros }, () => '0'), ...after]
    .slice(0, 4)
    .map((group) => group.toLowerCase().padStart(4, '0'))
    .join(':');
}
