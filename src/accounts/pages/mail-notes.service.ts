import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { DataOptions } from '../../config/options';
import { isLoopback } from '../../config/risks';
import { MailHealthIndicator } from '../../infrastructure/mail/mail-health.indicator';

@Injectable()
export class MailNotesService {
  private readonly outbox: string;

  constructor(
    private readonly health: MailHealthIndicator,
    { dir }: DataOptions,
  ) {
    this.outbox = join(dir, 'outbox');
  }

  /** Returns null if emails are delivered. @param isLocal whether the user may see local paths */
  async noteFor(isLocal: boolean): Promise<string | null> {
    switch (await this.health.state()) {
      case 'ok':
        return null;
      case 'error':
        return 'Emails cannot be sent at the moment: the mail server does not accept them. Try again later.';
      case 'not_configured':
        return isLocal
          ? `No mail server is configured (SMTP_URL): the email is the newest file in ${this.outbox}.`
          : 'No mail server is configured here: ask the operator of this service for the code.';
    }
  }
}

const FORWARDING = ['x-forwarded-for', 'x-real-ip', 'forwarded', 'via'];

/** Returns false behind a proxy on this machine, which forwards other clients' requests. */
export function isLocal({ headers, socket }: IncomingMessage): boolean {
  if (FORWARDING.some((name) => name in headers)) return false;
  const host = (headers.host ?? '').replace(/:\d*$/, '').replace(/^\[|\]$/g, '');
  return isLoopback(host) && isLoopback((socket.remoteAddress ?? '').replace(/^::ffff:/, ''));
}
